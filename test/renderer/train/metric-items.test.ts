/** Metrics as they are written in a project, and edits of the list. */
import { describe, expect, test } from 'vitest';
import { metrics } from '../../../engine/contract/metrics.ts';
import { unfit } from '../../../renderer/train/fits.ts';
import { addition, argumentsOf, itemOf, keyOf, kindOf, withArgument } from '../../../renderer/train/metric-items.ts';

const row = (kind: string) => {
  const found = metrics.get(kind);
  if (!found) throw new Error(`no metric ${kind}`);
  return found;
};

describe('an item', () => {
  test('is a name, or an object where arguments are given', () => {
    expect(kindOf('accuracy')).toBe('accuracy');
    expect(kindOf({ kind: 'f1_score', average: 'macro' })).toBe('f1_score');
    expect(argumentsOf({ kind: 'f1_score', average: 'macro' })).toEqual({ average: 'macro' });
    expect(itemOf('accuracy', {})).toBe('accuracy');
    expect(keyOf({ kind: 'accuracy', top_k: 5 })).toBe('accuracy_top5');
    expect(keyOf({ kind: 'nothing' })).toBeNull();
  });

  test('is written as short as it can be', () => {
    const list = ['accuracy', { kind: 'accuracy', top_k: 5 }];
    expect(withArgument(list, 1, 'top_k', undefined)).toEqual(['accuracy', 'accuracy']);
    expect(withArgument(list, 0, 'average', 'macro')).toEqual([{ kind: 'accuracy', average: 'macro' }, list[1]]);
  });
});

test('what is added differs from what is there', () => {
  const list: unknown[] = [];
  for (let item = addition(list, row('accuracy')); item !== null; item = addition(list, row('accuracy')))
    list.push(item);
  expect(list[0]).toBe('accuracy');
  expect(new Set(list.map(keyOf)).size).toBe(list.length);
  expect(list.map(keyOf)).toEqual(expect.arrayContaining(['accuracy_macro', 'accuracy_top5']));
});

test('what does not fit the targets says for which it is', () => {
  expect(unfit({ targets: ['class'] }, 'class')).toBeNull();
  expect(unfit({ targets: ['class'] }, null)).toBeNull();
  expect(unfit({ targets: ['class', 'mask', 'next_token'] }, 'vector')).toBe(
    'For targets that are classes, masks or next tokens',
  );
});
