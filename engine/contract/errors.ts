/** The closed list of error codes, and the one error class that carries them across every boundary. */
import { z } from 'zod';
import { type Fix, fixSchema } from './problems.ts';

/** Codes for calls that could not be done. The native side throws the same strings. */
export const errorCodes = [
  // the call
  'BAD_CALL', // wrong words on the command line or a malformed request
  'CANCELLED',
  'CLOSED', // the session, run or service has ended
  // files
  'FILE_NOT_FOUND',
  'NOT_READABLE',
  'NOT_WRITABLE',
  'DISK_FULL',
  'NETWORK', // a server cannot be reached, or sends something else than it should
  // the project
  'PROJECT_SYNTAX', // not JSON
  'PROJECT_NEWER', // written by a newer version
  'PROJECT_INVALID', // has problems of severity "error"
  'STALE_REVISION', // another window saved in between
  // data
  'DATA_MISSING',
  'DATA_FORMAT',
  'DATA_TRUNCATED',
  'DATA_COUNT', // inputs and targets differ in number
  'DATA_CHANGED', // no longer what the run was begun with
  'LABEL_RANGE',
  // weights and exports
  'WEIGHTS_FORMAT',
  'WEIGHTS_MISMATCH',
  // device and engine
  'DEVICE_UNKNOWN',
  'DEVICE_UNAVAILABLE',
  'OUT_OF_MEMORY',
  'NON_FINITE',
  'SHAPE_MISMATCH', // a layer's output is not what the plan says: a fault of ours
  'NOT_SUPPORTED',
  'LIBTORCH_MISSING',
  'LIBTORCH_TOO_OLD',
  'ADDON_MISSING',
  'ADDON_MISMATCH', // addon and tables disagree
  // runs
  'RUN_EXISTS',
  'RUN_LOCKED',
  'RUN_NOT_FOUND',
  'RUN_DAMAGED',
  'RUN_NOT_LIVE',
  'CHECKPOINT_MISSING',
  'CHECKPOINT_DAMAGED',
  'WORKER_DIED',
  'INTERNAL', // anything unforeseen
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** The same content as plain data: an event line, a wire message, a native exception. */
export const errorInfoSchema = z.object({
  /** A code that a newer version has added is unforeseen here. */
  code: z.enum(errorCodes).catch('INTERNAL'),
  /** What happened, and to what. One sentence, no trailing advice. */
  message: z.string(),
  /** What to do next. */
  hint: z.string().exactOptional(),
  /** Where: a file, or a place in the project such as `model.layers.3.out_features`. */
  path: z.string().exactOptional(),
  /** Edits of the project that put it right, where there are such. */
  fixes: z.array(fixSchema).exactOptional(),
});
export type ErrorInfo = z.infer<typeof errorInfoSchema>;

export class GradloomError extends Error {
  override readonly name = 'GradloomError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly path: string | undefined;
  readonly fixes: Fix[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { hint?: string; path?: string; fixes?: Fix[]; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.hint = more.hint;
    this.path = more.path;
    this.fixes = more.fixes;
  }

  toInfo(): ErrorInfo {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.path === undefined ? {} : { path: this.path }),
      ...(this.fixes === undefined ? {} : { fixes: this.fixes }),
    };
  }

  static fromInfo(info: ErrorInfo): GradloomError {
    return new GradloomError(info.code, info.message, info);
  }

  /** Any thrown value as a GradloomError; unforeseen ones become INTERNAL and keep their cause. */
  static from(thrown: unknown): GradloomError {
    if (thrown instanceof GradloomError) return thrown;
    if (thrown instanceof Error) {
      const code = (thrown as { code?: unknown }).code;
      if (typeof code === 'string' && (errorCodes as readonly string[]).includes(code)) {
        const { hint, path } = thrown as { hint?: string; path?: string };
        return new GradloomError(code as ErrorCode, thrown.message, {
          ...(hint === undefined ? {} : { hint }),
          ...(path === undefined ? {} : { path }),
          cause: thrown,
        });
      }
      return new GradloomError('INTERNAL', thrown.message, { cause: thrown });
    }
    return new GradloomError('INTERNAL', String(thrown));
  }
}
