/** Steps of undo as they are kept: packed small, and the same texts when they are unpacked. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  keptHistorySchema,
  mostStepCharacters,
  mostSteps,
  packHistory,
  unpackHistory,
} from '../../engine/contract/history.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'b', '{', '"', '\n', 'ä', '😀', '\u2028') });

test('what is unpacked is what was packed, through JSON as well', () => {
  fc.assert(
    fc.property(anyText, fc.array(anyText), fc.array(anyText), (text, past, future) => {
      const kept = keptHistorySchema.parse(JSON.parse(JSON.stringify(packHistory({ text, past, future }))));
      expect(unpackHistory(kept)).toEqual({ text, past, future });
    }),
  );
});

test('a step is as large as what it changes', () => {
  const text = `${'x'.repeat(10_000)}1${'y'.repeat(10_000)}`;
  expect(packHistory({ text, past: [text.replace('1', '22')], future: [] }).past).toEqual([
    { offset: 10_000, length: 1, content: '22' },
  ]);
});

test('the oldest steps go first where there are too many, or too large ones', () => {
  const past = Array.from({ length: mostSteps + 50 }, (_, index) => String(index));
  expect(unpackHistory(packHistory({ text: 'now', past, future: [] }))?.past).toEqual(past.slice(50));
  const large = ['a', 'b', 'c'].map((letter) => letter.repeat(mostStepCharacters / 2));
  expect(unpackHistory(packHistory({ text: '', past: large, future: [] }))?.past).toEqual(large.slice(1));
});

test('steps that do not fit their text are none', () => {
  expect(unpackHistory({ text: 'ab', past: [{ offset: 1, length: 2, content: '' }], future: [] })).toBeNull();
});
