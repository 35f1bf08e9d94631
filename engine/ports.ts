/**
 * Workers as utility processes of Electron: main starts them on the service's word and joins the two by a port. Electron is not imported: a
 * utility process finds its parent port on `process`.
 */
import { constants } from 'node:os';
import { type HostToService, orphaned, type ServiceToHost } from './contract/host.ts';
import type { ExitInfo, Parent, ProcessHost, WorkerProcess } from './processes.ts';

export interface PortMessage {
  data: unknown;
  ports: Port[];
}

/** Electron's `MessagePortMain` and `ParentPort`, as far as they are used here. */
export interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: PortMessage) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  start(): void;
  close(): void;
}

/** null outside a utility process. */
export function parentPort(): Port | null {
  return (process as unknown as { parentPort?: Port }).parentPort ?? null;
}

/** Characters of a worker's standard error that its end is told with. */
export const stderrKept = 4096;

/** A worker's last word, and the answer at which it ends: a process that exits at once may take its last messages with it. */
const leave = 'gradloom:leave';
const left = 'gradloom:left';
/** A utility process does not end by itself; this long it waits to be read to the end. */
const leaveMs = 5_000;
/** This long after a worker's end the last of its messages may still come. */
const lastMessagesMs = 1_000;

/** The service as a worker sees it. */
export function parentOverPort(parent: Port): Parent {
  const unsent: unknown[] = [];
  const listeners: ((message: unknown) => void)[] = [];
  const lostListeners: (() => void)[] = [];
  let port: Port | null = null;
  let lost = false;
  let leaving = false;

  const lose = () => {
    if (lost) return;
    lost = true;
    if (leaving) process.exit();
    for (const listener of lostListeners) listener();
  };
  parent.on('message', ({ data, ports }) => {
    if (data === orphaned) lose();
    const given = ports[0];
    if (port !== null || given === undefined) return;
    port = given;
    given.on('message', ({ data }) => {
      if (data === left) process.exit();
      for (const listener of listeners) listener(data);
    });
    given.on('close', lose);
    given.start();
    for (const message of unsent.splice(0)) given.postMessage(message);
  });

  const post = (message: unknown) => {
    if (lost) return;
    if (port === null) unsent.push(message);
    else port.postMessage(message);
  };
  return {
    async send(message) {
      post(message);
    },
    onMessage: (listener) => void listeners.push(listener),
    onLost: (listener) => void lostListeners.push(listener),
    leave() {
      if (lost) process.exit();
      leaving = true;
      post(leave);
      setTimeout(() => process.exit(), leaveMs);
    },
  };
}

interface StartedWorker {
  connect(port: Port): void;
  complain(line: string): void;
  exit(code: number): void;
}

/** Starts workers through Electron's main; `take` sees every message of main's and answers whether it was about a worker. */
export class PortProcesses implements ProcessHost {
  readonly #tell: (message: ServiceToHost) => void;
  readonly #workers = new Map<number, StartedWorker>();
  #lastId = 0;

  constructor(tell: (message: ServiceToHost) => void) {
    this.#tell = tell;
  }

  take(message: HostToService, ports: Port[]): boolean {
    if (!('id' in message) || message.type === 'ask') return false;
    const worker = this.#workers.get(message.id);
    if (message.type === 'worker-port' && ports[0]) worker?.connect(ports[0]);
    else if (message.type === 'worker-line') worker?.complain(message.line);
    else if (message.type === 'worker-exit') worker?.exit(message.code);
    return true;
  }

  start(entry: string): WorkerProcess {
    this.#lastId += 1;
    const id = this.#lastId;
    const unsent: unknown[] = [];
    const onMessage: ((message: unknown) => void)[] = [];
    const onComplaint: ((line: string) => void)[] = [];
    const onExit: ((info: ExitInfo) => void)[] = [];
    let port: Port | null = null;
    let closed = false;
    let exit: ExitInfo | null = null;
    let stderr = '';

    // The messages come through one pipe, the end through another.
    const tellExit = () => {
      if (exit === null || !this.#workers.delete(id)) return;
      for (const listener of onExit) listener(exit);
    };
    const close = () => {
      closed = true;
      tellExit();
    };
    this.#workers.set(id, {
      connect(given) {
        port = given;
        given.on('message', ({ data }) => {
          if (data !== leave) {
            for (const listener of onMessage) listener(data);
            return;
          }
          given.postMessage(left);
          close();
        });
        given.on('close', close);
        given.start();
        for (const message of unsent.splice(0)) given.postMessage(message);
      },
      complain(line) {
        stderr = `${stderr}${line}\n`.slice(-stderrKept);
        for (const listener of onComplaint) listener(line);
      },
      exit(code) {
        exit = { ...readExitCode(code), stderr };
        if (closed || port === null) tellExit();
        else setTimeout(tellExit, lastMessagesMs);
      },
    });
    this.#tell({ type: 'worker', id, entry });
    return {
      send(message) {
        if (port === null) unsent.push(message);
        else if (!closed) port.postMessage(message);
      },
      onMessage: (listener) => void onMessage.push(listener),
      onComplaint: (listener) => void onComplaint.push(listener),
      onExit: (listener) => void onExit.push(listener),
      kill: () => this.#tell({ type: 'kill', id }),
    };
  }
}

/** Signals that end a process against its will; none of our processes exits by itself with such a number. */
const deadly = ['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGSEGV', 'SIGTERM'] as const;

/** Electron knows no signal: it tells what `waitpid` gave, or, as a shell does, 128 more. */
function readExitCode(code: number): Pick<ExitInfo, 'code' | 'signal'> {
  const number = code > 128 ? code - 128 : code;
  const signal = process.platform === 'win32' ? undefined : deadly.find((name) => constants.signals[name] === number);
  return signal === undefined ? { code, signal: null } : { code: null, signal };
}
