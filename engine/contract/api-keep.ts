/** The wire's calls for what is kept of a project beside its file: steps of undo, texts that could not be saved. */
import { oc } from '@orpc/contract';
import { z } from 'zod';
import { keptHistorySchema } from './history.ts';

/** Longest text that is kept; a longer one is no project. */
const text = z.string().max(8 << 20);
/** What a window is called by itself and by others. */
const windowId = z.string().regex(/^[\w-]{1,64}$/);

const draftSchema = z.object({
  /** Whose text it is: a window's own name. */
  window: windowId,
  text,
  /** Of the file when the text was begun; another one now: the file was changed in the meantime. */
  revision: z.string(),
  /** ISO time of the last change. */
  time: z.string(),
});
export type Draft = z.infer<typeof draftSchema>;

const file = z.string();

export const keepCalls = {
  /** What there is of a project file. A draft that the file holds word for word is none. */
  read: oc.input(z.object({ file })).output(
    z.object({
      history: keptHistorySchema.nullable(),
      /** The latest first. */
      drafts: z.array(draftSchema),
    }),
  ),
  /** In place of what was kept for the file. */
  history: oc.input(z.object({ file, history: keptHistorySchema })),
  /** A window's text that is not in the file yet; null: it is, or was given up. */
  draft: oc.input(z.object({ file, window: windowId, text: text.nullable(), revision: z.string() })),
};
