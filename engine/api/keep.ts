/** `keep`: steps of undo, and texts that could not be saved. */
import { type Parts, wire } from './parts.ts';

export function keepCalls({ kept, places }: Parts) {
  return {
    read: wire.keep.read.handler(async ({ input }) => {
      const file = await places.reach(input.file);
      const [history, drafts] = await Promise.all([kept.history(file), kept.drafts(file)]);
      return { history, drafts };
    }),
    history: wire.keep.history.handler(async ({ input: { file, history } }) => {
      await kept.keepHistory(await places.reach(file), history);
    }),
    draft: wire.keep.draft.handler(async ({ input: { file, window, text, revision } }) => {
      await kept.keepDraft(await places.reach(file), window, text === null ? null : { text, revision });
    }),
  };
}
