/** Edits of a project's text: values change as asked, all else keeps its spelling, and undo gives the same bytes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Edit } from '../../engine/contract/problems.ts';
import { editProject, editProjectWithUndo, readProject, undoChanges } from '../../engine/contract/project.ts';
import { applyEdits } from './apply-edits.ts';

const keys = fc.constantFrom('a', 'b', 'kind', 'layers', 'näme', '"quoted"', '', '0');
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    // JSON's text knows no −0.
    fc.jsonValue({ maxDepth: 0 }).map((value) => (value === 0 ? 0 : value)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
}));
const anyProject = fc.dictionary(keys, anyValue, { maxKeys: 4 });

/** How a text may be spelled: indentation, line ends, byte-order mark. */
const spelling = fc.record({
  indent: fc.constantFrom(0, 1, 2, 4, '\t'),
  newline: fc.constantFrom('\n', '\r\n'),
  bom: fc.boolean(),
});

function spell(
  value: unknown,
  { indent, newline, bom }: { indent: number | string; newline: string; bom: boolean },
): string {
  return (
    (bom ? '\uFEFF' : '') +
    JSON.stringify(value, null, indent).replaceAll('\n', newline) +
    (indent === 0 ? '' : newline)
  );
}

function parse(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ''));
}

/** An edit that has a place in the value; `choose` picks from the ways there are. */
function someEdit(value: unknown, choose: (count: number) => number, given: unknown): Edit {
  const path: (string | number)[] = [];
  let at = value as Record<string | number, unknown>;
  for (;;) {
    const list = Array.isArray(at);
    const names: (string | number)[] = list ? Object.keys(at).map(Number) : Object.keys(at);
    const inner = names.filter((name) => typeof at[name] === 'object' && at[name] !== null);
    if (inner.length > 0 && choose(3) > 0) {
      const next = inner[choose(inner.length)] as string | number;
      path.push(next);
      at = at[next] as Record<string | number, unknown>;
      continue;
    }
    const op = choose(3);
    if (op === 0 && names.length > 0)
      return { op: 'remove', path: [...path, names[choose(names.length)] as string | number] };
    if (op === 1 && names.length > 0)
      return { op: 'set', path: [...path, names[choose(names.length)] as string | number], value: given };
    if (op === 2 && !list && names.length > 0 && choose(2) === 0) {
      const last = names[choose(names.length)] as string;
      let free = 'renamed';
      while (names.includes(free)) free += ' again';
      return { op: 'rename', path: [...path, last], value: free };
    }
    if (list) return { op: 'insert', path: [...path, choose(names.length + 1)], value: given };
    return { op: 'set', path: choose(2) === 0 ? [...path, 'new'] : [...path, 'made', 'up'], value: given };
  }
}

const manyEdits = fc.array(fc.tuple(fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), anyValue), { maxLength: 6 });

function pickEdits(value: unknown, seeds: [number[], unknown][]): Edit[] {
  let now = value;
  return seeds.map(([numbers, given]) => {
    let used = 0;
    const edit = someEdit(now, (count) => (numbers[used++ % numbers.length] as number) % count, given);
    // A path through a value that is no object has no place.
    if (edit.path.at(-1) === 'up' && typeof at(now, edit.path.slice(0, -1)) !== 'object')
      edit.path.splice(-2, 2, 'new');
    now = applyEdits(now, [edit]);
    return edit;
  });
}

function at(value: unknown, path: (string | number)[]): unknown {
  const found = path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
  return found === undefined ? {} : found === null || Array.isArray(found) ? 'no object' : found;
}

describe('random edits', () => {
  test('change the values as asked', () => {
    fc.assert(
      fc.property(anyProject, spelling, manyEdits, (project, style, seeds) => {
        const edits = pickEdits(project, seeds);
        expect(parse(editProject(spell(project, style), edits))).toEqual(
          applyEdits(JSON.parse(JSON.stringify(project)), edits),
        );
      }),
      { numRuns: 400 },
    );
  });

  test('undone give the same bytes', () => {
    fc.assert(
      fc.property(anyProject, spelling, manyEdits, (project, style, seeds) => {
        const text = spell(project, style);
        const edited = editProjectWithUndo(text, pickEdits(project, seeds));
        expect(undoChanges(edited.text, edited.undo)).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  test('save, load, save: the same bytes', () => {
    fc.assert(
      fc.property(anyProject, spelling, manyEdits, (project, style, seeds) => {
        const saved = editProject(spell(project, style), pickEdits(project, seeds));
        expect(readProject(saved).text).toBe(saved);
        const loaded = readProject(saved).project as Record<string, unknown>;
        const again = Object.entries(loaded).map(([key, value]): Edit => ({ op: 'set', path: [key], value }));
        // Setting every key to what it is may respell the values that are set, but a second time changes nothing.
        const once = editProject(saved, again);
        expect(editProject(once, again)).toBe(once);
        expect(parse(once)).toEqual(parse(saved));
      }),
      { numRuns: 200 },
    );
  });
});

describe('untouched values keep their spelling', () => {
  const text = `{
  "gradloom": 1,   "name" : "old",
  "data": { "split": { "val":0.10, "seed": 4.2e1 } },
  "model": { "layers": [
    { "kind": "Flatten" },
    { "kind": "Linear", "out_features": 2560e-1 }, { "kind": "ReLU" },
    { "kind": "Linear", "out_features": 10 } ] }
}
`;
  const rows: { does: string; edits: Edit[]; from: string; to: string }[] = [
    {
      does: 'sets a value',
      edits: [{ op: 'set', path: ['name'], value: 'new' }],
      from: '"name" : "old"',
      to: '"name" : "new"',
    },
    {
      does: 'sets a value in a list',
      edits: [{ op: 'set', path: ['model', 'layers', 3, 'out_features'], value: 12 }],
      from: '"out_features": 10 }',
      to: '"out_features": 12 }',
    },
    {
      does: 'adds a key beside its neighbours',
      edits: [{ op: 'set', path: ['data', 'split', 'stratify'], value: false }],
      from: '"seed": 4.2e1 }',
      to: '"seed": 4.2e1, "stratify": false }',
    },
    {
      does: 'adds a section on a line of its own',
      edits: [{ op: 'set', path: ['training', 'epochs'], value: 3 }],
      from: '"out_features": 10 } ] }\n}',
      to: '"out_features": 10 } ] },\n  "training": { "epochs": 3 }\n}',
    },
    {
      does: 'inserts a layer before one that begins a line',
      edits: [{ op: 'insert', path: ['model', 'layers', 1], value: { kind: 'Dropout', p: 0.5 } }],
      from: '{ "kind": "Flatten" },\n',
      to: '{ "kind": "Flatten" },\n    { "kind": "Dropout", "p": 0.5 },\n',
    },
    {
      does: 'inserts a first layer',
      edits: [{ op: 'insert', path: ['model', 'layers', 0], value: { kind: 'Identity' } }],
      from: '    { "kind": "Flatten" },\n',
      to: '    { "kind": "Identity" },\n    { "kind": "Flatten" },\n',
    },
    {
      does: 'removes a layer in the middle of a line',
      edits: [{ op: 'remove', path: ['model', 'layers', 2] }],
      from: ' 2560e-1 }, { "kind": "ReLU" },',
      to: ' 2560e-1 },',
    },
    {
      does: 'removes the last layer',
      edits: [{ op: 'remove', path: ['model', 'layers', 3] }],
      from: ',\n    { "kind": "Linear", "out_features": 10 } ]',
      to: ' ]',
    },
    { does: 'leaves what is not there', edits: [{ op: 'remove', path: ['training', 'epochs'] }], from: '', to: '' },
  ];
  test.each(rows)('$does', ({ edits, from, to }) => {
    expect(text).toContain(from);
    expect(editProject(text, edits)).toBe(text.replace(from, to));
  });
});

test('an edit without a place is refused and named', () => {
  const text = '{"a": [1], "b": 2}';
  const refused: [Edit, string][] = [
    [{ op: 'set', path: ['a', 1], value: 0 }, 'There is no place a.1 to set: a is a list of 1'],
    [{ op: 'insert', path: ['a', 2], value: 0 }, 'There is no place a.2 to insert: a is a list of 1'],
    [{ op: 'remove', path: ['a', 'x'] }, 'There is no place a.x to remove: a is a list of 1'],
    [{ op: 'set', path: ['b', 'c'], value: 0 }, 'There is no place b.c to set: b holds no keys'],
    [{ op: 'set', path: [0], value: 0 }, 'There is no place 0 to set: the file is not a list'],
    [{ op: 'insert', path: ['new', 0], value: 0 }, 'There is no place new.0 to insert: the file has no list new'],
    [
      { op: 'insert', path: ['b'], value: 0 },
      'There is no place b to insert: its path must end with a position in a list',
    ],
    [{ op: 'set', path: ['a'] }, 'There is no place a to set: the edit has no value'],
    [{ op: 'set', path: [], value: 0 }, 'There is no place  to set: the path is empty'],
  ];
  for (const [edit, message] of refused) {
    expect(() => editProject(text, [edit])).toThrow(expect.objectContaining({ code: 'BAD_CALL', message }));
  }
});
