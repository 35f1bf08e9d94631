/** The wire's calls by which a browser brings a file to the engine, part by part: an application's window gives its path instead. */
import { oc } from '@orpc/contract';
import { z } from 'zod';

/** A larger file is put where the engine runs by other means. */
export const mostUploadBytes = 4 * 2 ** 30;
/** Of one part; less than the longest message. */
export const uploadPartBytes = 4 << 20;

/** Kinds of files that can be brought. */
export const weightsExtensions = ['safetensors', 'pt', 'pth'] as const;

/** A file's content: a Blob, whose type only a window and Node know. */
export const blob = z.custom<{ readonly size: number; arrayBuffer(): Promise<ArrayBuffer> }>(
  (value) => typeof (value as { arrayBuffer?: unknown } | null)?.arrayBuffer === 'function',
);

const upload = z.string().regex(/^[0-9a-f]{16}$/);

export const uploadCalls = {
  /** Weights, into the workspace; `name` is made free by a number. */
  begin: oc.input(z.object({ name: z.string().max(255), size: z.number().int().min(0) })).output(z.object({ upload })),
  /** The next part: `offset` is what was brought so far. Answers the file with the last one. */
  part: oc
    .input(z.object({ upload, offset: z.number().int().min(0), bytes: blob }))
    .output(z.object({ file: z.string().nullable() })),
  /** Takes away what was brought. */
  cancel: oc.input(z.object({ upload })),
};
