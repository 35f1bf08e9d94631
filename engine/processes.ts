/**
 * Worker processes as the service sees them, and the parent as a worker sees it. Node's child processes here; `ports.ts` does the same with
 * Electron's utility processes.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { GradloomError } from './contract/errors.ts';
import { parentOverPort, parentPort, stderrKept } from './ports.ts';

export interface ExitInfo {
  code: number | null;
  signal: string | null;
  /** The last lines of its standard error. */
  stderr: string;
}

/** Whether a signal ended a worker, which may well be the system's answer to too much memory; a process that gave up by itself has none. */
export function endedBySignal({ code, cause }: GradloomError): boolean {
  return code === 'WORKER_DIED' && typeof (cause as Partial<ExitInfo> | undefined)?.signal === 'string';
}

export interface WorkerProcess {
  /** Lost without a word when the process is gone: `onExit` tells that. */
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called with each whole line of its standard error, before `onExit`. */
  onComplaint(listener: (line: string) => void): void;
  /** Called once, after the last message. */
  onExit(listener: (info: ExitInfo) => void): void;
  /** At once, without saving. */
  kill(): void;
}

export interface ProcessHost {
  /** Starts a built entry such as `dist/worker.js`. */
  start(entry: string): WorkerProcess;
}

/** Pictures are decoded by libuv's threads, whose number is fixed when a process starts: as many as there are cores. */
function workerEnvironment(): NodeJS.ProcessEnv {
  return { UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism())), ...process.env };
}

export const nodeProcesses: ProcessHost = {
  start(entry) {
    const child = fork(entry, [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
      env: workerEnvironment(),
    });
    let stderr = '';
    const lines = createInterface({ input: child.stderr as Readable });
    lines.on('line', (line) => {
      stderr = `${stderr}${line}\n`.slice(-stderrKept);
    });
    child.on('error', (error) => {
      stderr += String(error); // it could not be started: 'close' follows
    });
    return {
      send(message) {
        if (child.connected) child.send(message as object, () => {});
      },
      onMessage: (listener) => void child.on('message', listener),
      onComplaint: (listener) => void lines.on('line', listener),
      onExit: (listener) => void child.once('close', (code, signal) => listener({ code, signal, stderr })),
      kill: () => void child.kill('SIGKILL'),
    };
  },
};

export interface Parent {
  send(message: unknown): Promise<void>;
  onMessage(listener: (message: unknown) => void): void;
  /** The parent is gone: nobody will read what this process has to say. */
  onLost(listener: () => void): void;
  /** Lets this process end. */
  leave(): void;
}

/** null when this process was not started as a worker. */
export function parentOfWorker(): Parent | null {
  const port = parentPort();
  if (port !== null) return parentOverPort(port);
  if (!process.send) return null;
  return {
    send: (message) =>
      new Promise((resolve) => {
        if (!process.connected) resolve();
        else process.send?.(message, undefined, undefined, () => resolve());
      }),
    onMessage: (listener) => void process.on('message', listener),
    onLost: (listener) => void process.once('disconnect', listener),
    leave() {
      if (process.connected) process.disconnect();
    },
  };
}
