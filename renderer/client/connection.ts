/** The connection to the engine service: opened over a MessagePort or a WebSocket, opened again when it is lost, told to whoever asks. */
import { ORPCError } from '@orpc/client';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import { errorInfoSchema, GradloomError } from '../../engine/contract/errors.ts';
import { portMessage, type Shell, shell } from './shell.ts';

export type ConnectionStatus = 'connecting' | 'ready' | 'lost' | 'unauthorised';

type Call = (path: readonly string[], input: unknown, options: { signal?: AbortSignal }) => Promise<unknown>;

const firstRetryMs = 250;
const lastRetryMs = 4000;

export class Connection {
  #status: ConnectionStatus = 'connecting';
  #call: Call | null = null;
  #retryMs = firstRetryMs;
  #waiting: (() => void)[] = [];
  readonly #unanswered = new Set<(reason: unknown) => void>();
  readonly #listeners = new Set<(status: ConnectionStatus) => void>();

  constructor() {
    const host = shell();
    if (host) this.#openPort(host);
    else this.#openSocket();
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  onStatus(listener: (status: ConnectionStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when calls can be made; rejects only when `signal` aborts. */
  ready(signal?: AbortSignal): Promise<void> {
    if (this.#call) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /** Waits for a connection that is being opened. @throws GradloomError of the engine, or CLOSED when the connection is lost */
  async call(path: readonly string[], input: unknown, options: { signal?: AbortSignal }): Promise<unknown> {
    if (this.#status === 'unauthorised') throw notConnected('This window is not signed in to the engine');
    await this.ready(options.signal);
    const call = this.#call;
    if (!call) throw notConnected('The connection to the engine was lost');
    try {
      return await this.#untilLost(call(path, input, options));
    } catch (thrown) {
      options.signal?.throwIfAborted();
      throw this.#call === call ? toGradloomError(thrown) : notConnected('The connection to the engine was lost');
    }
  }

  #set(status: ConnectionStatus): void {
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }

  #opened(call: Call): void {
    this.#call = call;
    this.#retryMs = firstRetryMs;
    this.#set('ready');
    for (const tell of this.#waiting.splice(0)) tell();
  }

  /** A port does not say that its other end has died: what was asked through it would wait for ever. */
  #untilLost<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#unanswered.add(reject);
      answer.then(resolve, reject).finally(() => this.#unanswered.delete(reject));
    });
  }

  #lost(): void {
    this.#call = null;
    for (const reject of this.#unanswered) reject(notConnected('The connection to the engine was lost'));
    this.#unanswered.clear();
    this.#set('lost');
  }

  #openSocket(): void {
    const { protocol, host } = window.location;
    const socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/rpc`);
    let opened = false;
    socket.addEventListener('open', () => {
      opened = true;
      const link = new SocketLink({ websocket: socket });
      this.#opened((path, input, options) => link.call(path, input, { context: {}, ...options }));
    });
    socket.addEventListener('close', () => {
      this.#lost();
      void this.#afterLoss(opened);
    });
  }

  /** A socket does not say why it was refused: a plain request does. */
  async #afterLoss(wasOpen: boolean): Promise<void> {
    if (!wasOpen) {
      const answer = await fetch('/rpc').catch(() => null);
      if (answer?.status === 401) return this.#set('unauthorised');
    }
    await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
    this.#retryMs = Math.min(2 * this.#retryMs, lastRetryMs);
    this.#openSocket();
  }

  /** In a browser: lets this window in by a token, with all that it holds. Answers whether the token was right. */
  async signIn(token: string): Promise<boolean> {
    await fetch(`/?token=${encodeURIComponent(token)}`, { redirect: 'manual' }).catch(() => null);
    return this.tryAgain();
  }

  /** Another tab may have signed in, or the engine may be back. Answers whether this window is let in now. */
  async tryAgain(): Promise<boolean> {
    const answer = await fetch('/rpc').catch(() => null);
    if (answer === null || answer.status === 401) return false;
    if (this.#status !== 'unauthorised') return true;
    this.#set('connecting');
    this.#openSocket();
    return true;
  }

  #openPort(host: Shell): void {
    let port: MessagePort | null = null;
    window.addEventListener('message', (event) => {
      const [given] = event.ports;
      if (event.source !== window || event.data !== portMessage || !given) return;
      port?.close();
      port = given;
      const link = new PortLink({ port: given });
      given.start();
      this.#opened((path, input, options) => link.call(path, input, { context: {}, ...options }));
    });
    // Whoever starts the service again asks for a new port by `reconnect`.
    host.onServiceExit(() => this.#lost());
    host.connect();
  }

  reconnect(): void {
    shell()?.connect();
  }
}

function notConnected(message: string): GradloomError {
  return new GradloomError('CLOSED', message, { hint: 'Runs go on; the window connects again by itself.' });
}

function toGradloomError(thrown: unknown): GradloomError {
  if (thrown instanceof ORPCError) {
    const info = errorInfoSchema.safeParse(thrown.data);
    if (info.success) return GradloomError.fromInfo(info.data);
  }
  return GradloomError.from(thrown);
}
