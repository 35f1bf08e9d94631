/** Edits of the list of transforms, as they change the file. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editProject } from '../../../engine/contract/project.ts';
import { addTransform, moveTransform, removeTransform } from '../../../renderer/data/transform-edits.ts';

const text = (list: unknown) => JSON.stringify({ data: { transforms: list } });
const listOf = (project: string) => JSON.parse(project).data.transforms;

describe('transforms', () => {
  test('are added to a list, or make one', () => {
    expect(listOf(editProject(text([1]), addTransform([1], { kind: 'A' })))).toEqual([1, { kind: 'A' }]);
    expect(listOf(editProject('{"data":{}}', addTransform(undefined, { kind: 'A' })))).toEqual([{ kind: 'A' }]);
    expect(listOf(editProject(text(null), addTransform(null, { kind: 'A' })))).toEqual([{ kind: 'A' }]);
  });

  test('are removed', () => expect(listOf(editProject(text([1, 2, 3]), removeTransform(1)))).toEqual([1, 3]));

  test('move to the place that they shall have', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1, maxLength: 6 }),
        fc.nat(5),
        fc.integer({ min: -1, max: 6 }),
        (list, at, to) => {
          const from = at % list.length;
          const moved = listOf(editProject(text(list), moveTransform(list, from, to)));
          const expected = [...list];
          if (to >= 0 && to < list.length) expected.splice(to, 0, ...expected.splice(from, 1));
          expect(moved).toEqual(expected);
        },
      ),
    );
  });
});
