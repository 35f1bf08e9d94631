/** The steps of undo and redo of a project's text, as they are kept: each a small change from one text to the next. Pure. */
import { z } from 'zod';

/** From one text to the text one step further on: `length` characters at `offset` give way to `content`. */
const textStep = z.object({ offset: z.number().int().min(0), length: z.number().int().min(0), content: z.string() });
export type TextStep = z.infer<typeof textStep>;

/** More steps, or more characters in them, are not kept: the oldest go first. */
export const mostSteps = 200;
export const mostStepCharacters = 4 << 20;

export const keptHistorySchema = z.object({
  /** What the steps start from: they fit no other text. */
  text: z.string(),
  /** The first leads one step back from `text`, the second one further. */
  past: z.array(textStep).max(mostSteps),
  /** The first leads one step on. */
  future: z.array(textStep).max(mostSteps),
});
export type KeptHistory = z.infer<typeof keptHistorySchema>;

/** `past`: oldest first, `future`: the next one last, as an editor's stacks hold them. */
export interface History {
  text: string;
  past: readonly string[];
  future: readonly string[];
}

export function packHistory({ text, past, future }: History): KeptHistory {
  const room = { steps: mostSteps, characters: mostStepCharacters };
  return { text, past: stepsFrom(text, past, room), future: stepsFrom(text, future, room) };
}

/** Steps from a text along a stack, the nearest first, as many as there is room for. */
function stepsFrom(text: string, stack: readonly string[], room: { steps: number; characters: number }): TextStep[] {
  const steps: TextStep[] = [];
  let from = text;
  for (const to of [...stack].reverse()) {
    const step = stepBetween(from, to);
    if (room.steps === 0 || step.content.length > room.characters) break;
    room.steps -= 1;
    room.characters -= step.content.length;
    steps.push(step);
    from = to;
  }
  return steps;
}

/** null: the steps do not fit their text, so the file is not what was written. */
export function unpackHistory(kept: KeptHistory): History | null {
  const past = textsAlong(kept.text, kept.past);
  const future = textsAlong(kept.text, kept.future);
  return past && future && { text: kept.text, past, future };
}

function textsAlong(text: string, steps: readonly TextStep[]): string[] | null {
  const texts: string[] = [];
  let now = text;
  for (const { offset, length, content } of steps) {
    if (offset + length > now.length) return null;
    now = now.slice(0, offset) + content + now.slice(offset + length);
    texts.push(now);
  }
  return texts.reverse();
}

/** What begins and ends alike is left out. */
function stepBetween(from: string, to: string): TextStep {
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && from.charCodeAt(head) === to.charCodeAt(head)) head++;
  let tail = 0;
  while (tail < most - head && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail)) tail++;
  return { offset: head, length: from.length - head - tail, content: to.slice(head, to.length - tail) };
}
