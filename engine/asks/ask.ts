/** What a worker that stays is asked: a table of functions by name, called there or, by the command line, in its own process. */
import type { TaskProgress } from '../contract/finders.ts';

export interface AskContext {
  signal: AbortSignal;
  onProgress(progress: TaskProgress): void;
}

/** Arguments and answers are plain data: they cross processes. */
export type AskTable<Context extends AskContext = never> = {
  [name: string]: (args: never, context: Context) => Promise<unknown>;
};

export type ArgsOf<Asks extends AskTable, Name extends keyof Asks> = Parameters<Asks[Name]>[0];
export type AnswerOf<Asks extends AskTable, Name extends keyof Asks> = Awaited<ReturnType<Asks[Name]>>;

export interface AskOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: TaskProgress) => void) | undefined;
}
