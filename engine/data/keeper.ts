/** The service's end of everything that reads data: one warm worker, so that a broken file takes down nothing else. */
import { isAbsolute } from 'node:path';
import type { AnswerOf, ArgsOf, AskOptions } from '../asks/ask.ts';
import { AskKeeper, type Death } from '../asks/keeper.ts';
import { GradloomError } from '../contract/errors.ts';
import type { ResolvedSource } from '../contract/project.ts';
import { pathsOf, sources } from '../contract/sources.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { isWithin } from '../places.ts';
import type { Service } from '../service.ts';
import type { DataAsks } from './asks.ts';
import { leftAtWork } from './at-work.ts';
import { describeSource } from './describe.ts';
import type { OpenContext } from './open-source.ts';
import type { DataPack } from './pack-file.ts';

/** Time for an import to note how far it is. */
const graceMs = 5000;
/** So many files are named. */
const mostNamed = 5;

/** As `describeSource`, wherever that is done. */
export type Describe = typeof describeSource;

export class DataKeeper {
  readonly #keeper: AskKeeper<DataAsks>;
  readonly #limited: boolean;

  /** `limited`: files may be read by the worker only, which knows how far it may reach. */
  constructor(service: Pick<Service, 'converse'>, limited = false) {
    this.#limited = limited;
    this.#keeper = new AskKeeper(service, { room: 'data', graceMs, autopsy });
  }

  /** @throws GradloomError what the ask throws; WORKER_DIED where its worker did, naming the files that it was reading; CANCELLED */
  ask<Name extends keyof DataAsks>(
    name: Name,
    args: ArgsOf<DataAsks, Name>,
    options: AskOptions = {},
  ): Promise<AnswerOf<DataAsks, Name>> {
    return this.#keeper.ask(name, args, options);
  }

  readonly describe: Describe = async (source, baseDir, context): Promise<DataFacts> =>
    sources.get(source.kind)?.light && !(this.#limited && pathsOf(source).length > 0)
      ? describeSource(source, baseDir, context)
      : this.ask('describe', { source, baseDir, ...(context ? { split: context.split } : {}) });

  pack(
    source: ResolvedSource,
    baseDir: string,
    { split, ...options }: AskOptions & { split?: OpenContext['split'] } = {},
  ): Promise<DataPack> {
    return this.ask('pack', { source, baseDir, ...(split ? { split } : {}) }, options);
  }
}

function autopsy(error: GradloomError, folder: string): Death {
  const files = leftAtWork(folder);
  if (error.code !== 'WORKER_DIED') return { error, blames: () => true };
  return { error: files.length > 0 ? named(error, files) : error, blames: (_name, args) => touches(args, files) };
}

function named(error: GradloomError, files: string[]): GradloomError {
  const list = files.slice(0, mostNamed).join(', ');
  const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : '';
  const [first] = files;
  return new GradloomError('WORKER_DIED', `${error.message.replace(/\.$/, '')}, while it was reading ${list}${more}`, {
    hint: 'Remove the file, or save it anew with another program, then try again.',
    ...(first === undefined ? {} : { path: first }),
    cause: error.cause,
  });
}

/** Whether an ask names one of these files, or a folder that it lies in. */
function touches(args: unknown, files: string[]): boolean {
  if (typeof args === 'string') return isAbsolute(args) && files.some((file) => isWithin(file, args));
  if (args === null || typeof args !== 'object') return false;
  return Object.values(args).some((value) => touches(value, files));
}
