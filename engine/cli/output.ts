/**
 * Where lines go. For people: standard output, errors on standard error. With `--json`: each line of standard output is one JSON object and
 * people's text goes to standard error.
 */
import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import type { ErrorInfo } from '../contract/errors.ts';
import { commandsFor } from './commands.ts';

type Style = Parameters<typeof styleText>[0];

export class Output {
  readonly json: boolean;
  /** Where people's text goes. */
  readonly #people: WriteStream;
  /** The text of the live line that stands on the terminal now. */
  #live = '';
  #closed = false;

  constructor(json: boolean) {
    this.json = json;
    this.#people = json ? process.stderr : process.stdout;
  }

  /** Whether people read on a terminal, which can show a line that changes. */
  get isTerminal(): boolean {
    return this.#people.isTTY === true && process.env.TERM !== 'dumb';
  }

  get columns(): number {
    return this.#people.columns || 80;
  }

  /**
   * What can no longer be written is dropped: a reader that has seen enough (`| head`), a full disk or a lost terminal must not end a training.
   * `onLost` is told when standard output is gone, and may end what only tells.
   */
  surviveLostOutput(onLost: (error: NodeJS.ErrnoException) => void): void {
    process.stderr.on('error', () => {});
    process.stdout.on('error', (error) => {
      if (this.#closed) return;
      this.#closed = true;
      onLost(error);
    });
  }

  /** One JSON object on standard output; nothing without `--json`. */
  object<Line extends { type: string }>(value: Line): void {
    if (this.json && !this.#closed) process.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** Text for people, one or several lines. */
  say(text = ''): void {
    this.#write(this.#people, `${this.#cleared()}${text}\n`);
  }

  /** A line that the next one replaces; on terminals only. */
  live(text: string): void {
    if (!this.isTerminal) return;
    this.#write(this.#people, `${this.#cleared()}${text}`);
    this.#live = text;
  }

  /** How far something is, for who keeps what is written: one line on standard error. */
  aside(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** An error as a line and as text. */
  error(info: ErrorInfo): void {
    const { code, message, hint, path, fixes } = info;
    const more = { ...(hint ? { hint } : {}), ...(path ? { path } : {}), ...(fixes ? { fixes } : {}) };
    this.object({ type: 'error', code, message, ...more });
    this.complain(info);
  }

  /** An error as text for people, on standard error: what happened, where, and what to do next. `run`: the folder of the one it is of. */
  complain({ code, message, hint, path }: ErrorInfo, run?: string): void {
    const lines = [`${this.style('red', 'Error:')} ${message}`];
    if (path && !message.includes(path)) lines.push(`  Where: ${path}`);
    if (hint) lines.push(`  Next:  ${hint.replaceAll('\n', '\n         ')}`);
    const commands = commandsFor(code, run ?? (code.startsWith('RUN_') ? path : undefined));
    if (commands) lines.push(`  More:  ${commands}`);
    if (this.#live) this.#write(this.#people, this.#cleared());
    process.stderr.write(`${lines.join('\n')}\n`);
  }

  /** Colours on terminals that want them (`NO_COLOR` and its kin are respected). */
  style(style: Style, text: string): string {
    const coloured = this.isTerminal && !process.env.NO_COLOR && process.env.NODE_DISABLE_COLORS === undefined;
    return coloured ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Resolves when what was written has left the process. */
  async flush(): Promise<void> {
    this.#write(this.#people, this.#cleared());
    await Promise.all(
      [process.stdout, process.stderr].map(
        (stream) => new Promise<void>((done) => (stream.writable ? stream.write('', () => done()) : done())),
      ),
    );
  }

  #cleared(): string {
    const clear = this.#live ? '\r\x1b[2K' : '';
    this.#live = '';
    return clear;
  }

  #write(stream: WriteStream, text: string): void {
    if (text && !(this.#closed && stream === process.stdout)) stream.write(text);
  }
}
