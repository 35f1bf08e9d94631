/** The engine service and its workers as utility processes: started, joined by ports, their ends told. */
import { cpus } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { MessageChannelMain, type UtilityProcess, utilityProcess, type WebContents } from 'electron';
import { type HostQuestion, type HostToService, orphaned, type ServiceToHost } from '../engine/contract/host.ts';

/** Built beside this file's folder; in a package unpacked, where Node's ordinary file calls reach it. */
export const engineFolder = path.join(__dirname, '..').replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');
/** The preload waits for a port under this name. */
export const portChannel = 'gradloom:port';

const stderrKept = 4096;
/** How long workers may take to save when the app ends; the service itself is patient for 20 s. */
const patienceMs = 25_000;

export interface ServiceExit {
  reason: string;
  code: number;
}

/** Every worker that lives, also those whose service has died: they are saving. */
const workers = new Set<UtilityProcess>();

/** One life of the service. */
export class EngineService {
  readonly #child: UtilityProcess;
  readonly #workers = new Map<number, UtilityProcess>();
  readonly #asked = new Map<number, (runs: string[]) => void>();
  readonly #ready: Promise<void>;
  readonly #exited: Promise<void>;
  #alive = true;
  #lastQuestion = 0;

  /** `onExit` is not called for a service that was closed. */
  constructor(onExit: (exit: ServiceExit) => void) {
    const child = utilityProcess.fork(path.join(engineFolder, 'main.js'), [], {
      serviceName: 'Gradloom engine',
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    this.#child = child;
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk);
      said = `${said}${chunk}`.slice(-stderrKept);
    });
    let tellReady = () => {};
    this.#ready = new Promise((resolve) => {
      tellReady = resolve;
    });
    child.on('message', (message: ServiceToHost) => {
      if (message.type === 'ready') tellReady();
      else if (message.type === 'worker') this.#startWorker(message.id, message.entry);
      else if (message.type === 'kill') kill(this.#workers.get(message.id));
      else this.#asked.get(message.id)?.(message.runs);
    });
    this.#exited = new Promise((resolve) => {
      child.on('exit', (code) => {
        const closed = !this.#alive;
        this.#alive = false;
        for (const answer of this.#asked.values()) answer([]);
        for (const worker of this.#workers.values()) worker.postMessage(orphaned);
        resolve();
        if (!closed) onExit({ reason: said.trim().split('\n').slice(-3).join('\n'), code });
      });
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Resolves when it listens, or has died before. */
  ready(): Promise<void> {
    return Promise.race([this.#ready, this.#exited]);
  }

  /** Gives the window a port of its own; the calls do not pass through main. */
  async connect(contents: WebContents): Promise<void> {
    await this.ready();
    if (!this.#alive || contents.isDestroyed()) return;
    const { port1, port2 } = new MessageChannelMain();
    this.#tell({ type: 'connect' }, port1);
    contents.postMessage(portChannel, null, [port2]);
  }

  /** Folders of its own runs that are live once the question is answered; none when it is dead. */
  ask(question: HostQuestion): Promise<string[]> {
    if (!this.#alive) return Promise.resolve([]);
    this.#lastQuestion += 1;
    const id = this.#lastQuestion;
    return new Promise((resolve) => {
      this.#asked.set(id, (runs) => {
        this.#asked.delete(id);
        resolve(runs);
      });
      this.#tell({ type: 'ask', id, question });
    });
  }

  /** Its runs are saved first. Resolves when no process of the engine is left, or patience has. */
  async close(): Promise<void> {
    let end = () => {};
    const patience = new Promise<void>((resolve) => {
      end = resolve;
    });
    const timer = setTimeout(end, patienceMs);
    await Promise.race([patience, this.ask('close').then(workersGone)]);
    clearTimeout(timer);
    this.#alive = false;
    this.#child.kill();
  }

  #tell(message: HostToService, port?: Electron.MessagePortMain): void {
    if (this.#alive) this.#child.postMessage(message, port ? [port] : []);
  }

  #startWorker(id: number, entry: string): void {
    if (path.dirname(path.resolve(entry)) !== engineFolder) return; // not a part of the engine
    const child = utilityProcess.fork(entry, [], {
      serviceName: 'Gradloom run',
      stdio: ['ignore', 'ignore', 'pipe'],
      allowLoadingUnsignedLibraries: true, // libtorch is fetched, not signed with the app
      // Pictures are decoded by libuv's threads, whose number is fixed when a process starts.
      env: { UV_THREADPOOL_SIZE: String(Math.max(4, cpus().length)), ...process.env },
    });
    workers.add(child);
    this.#workers.set(id, child);
    if (child.stderr) {
      const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
      lines.on('line', (line) => this.#tell({ type: 'worker-line', id, line }));
    }
    child.on('exit', (code) => {
      workers.delete(child);
      this.#workers.delete(id);
      this.#tell({ type: 'worker-exit', id, code });
    });
    const { port1, port2 } = new MessageChannelMain();
    child.postMessage(null, [port1]);
    this.#tell({ type: 'worker-port', id }, port2);
  }
}

/** At once: its own `kill` is SIGTERM, at which a worker saves. */
function kill(child: UtilityProcess | undefined): void {
  if (child?.pid !== undefined) process.kill(child.pid, 'SIGKILL');
}

async function workersGone(): Promise<void> {
  await Promise.all([...workers].map((child) => new Promise<void>((resolve) => child.once('exit', () => resolve()))));
}
