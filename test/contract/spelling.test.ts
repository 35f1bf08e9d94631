/** What an edit moves, wraps or renames keeps the spelling that a person gave it: numbers, spaces, the order of keys. */
import { describe, expect, test } from 'vitest';
import type { Edit } from '../../engine/contract/problems.ts';
import { editProject, readProject, spellingsOf } from '../../engine/contract/project.ts';

const text = `{
  "gradloom": 1,
  "model": {
    "layers": [
      {"p": 5e-1,   "kind":"Dropout"},
      { "kind": "Residual",
        "layers": [
          { "kind": "Linear", "out_features": 1.0 }
        ] },
      { "kind": "ReLU" }
    ],
    "blocks": { "unit": {"layers": [ {"kind": "Tanh"} ]}, "spare": { "layers": [] } }
  }
}
`;
const { project } = readProject(text);
const layers = (project as { model: { layers: object[] } }).model.layers;
const made = (edits: Edit[], from = text) =>
  editProject(from, edits, spellingsOf(from, from === text ? project : readProject(from).project));

describe('a layer', () => {
  test('that is moved is written as it was', () => {
    const moved = made([
      { op: 'remove', path: ['model', 'layers', 0] },
      { op: 'insert', path: ['model', 'layers', 2], value: layers[0] },
    ]);
    expect(moved).toContain(`      { "kind": "ReLU" },\n      {"p": 5e-1,   "kind":"Dropout"}\n    ],`);
  });

  test('of several lines that is moved into another depth is indented with it', () => {
    const wrapped = made([
      { op: 'set', path: ['model', 'layers', 1], value: { kind: 'Repeat', times: 2, layers: [layers[1]] } },
    ]);
    expect(wrapped).toContain(`      {
        "kind": "Repeat",
        "times": 2,
        "layers": [
          { "kind": "Residual",
            "layers": [
              { "kind": "Linear", "out_features": 1.0 }
            ] }
        ]
      },`);
  });

  test('is written as it was between line ends of another kind as well', () => {
    const windows = text.replaceAll('\n', '\r\n');
    const again = (readProject(windows).project as { model: { layers: object[] } }).model.layers;
    const doubled = editProject(
      windows,
      [{ op: 'insert', path: ['model', 'layers', 3], value: again[1] }],
      spellingsOf(windows, { model: { layers: again } }),
    );
    expect(doubled.replaceAll('\r\n', '')).not.toContain('\n');
    expect(doubled.match(/1\.0/g)).toHaveLength(2);
  });

  test('of which a key is set is no value of the text any more', () => {
    const changed = { ...layers[0], p: 0.25 };
    expect(made([{ op: 'set', path: ['model', 'layers', 0], value: changed }])).toContain(
      '{ "p": 0.25, "kind": "Dropout" }',
    );
  });
});

test('a key is renamed in its place', () => {
  expect(made([{ op: 'rename', path: ['model', 'blocks', 'unit'], value: 'stage "1"' }])).toBe(
    text.replace('"unit"', '"stage \\"1\\""'),
  );
  expect(() => made([{ op: 'rename', path: ['model', 'blocks', 'none'], value: 'a' }])).toThrow('has no none');
  expect(() => made([{ op: 'rename', path: ['model', 'layers', 0], value: 'a' }])).toThrow('no name');
  // Two of one name would be one in everybody's eyes.
  expect(() => made([{ op: 'rename', path: ['model', 'blocks', 'unit'], value: 'spare' }])).toThrow('spare already');
  expect(made([{ op: 'rename', path: ['model', 'blocks', 'unit'], value: 'unit' }])).toBe(text);
});
