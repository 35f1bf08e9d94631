/** `layers`: the table of kinds as people and programs read it. */
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../engine/cli/program.ts';
import { layerKinds } from '../../engine/contract/layers/index.ts';
import { Heard } from './heard.ts';

async function layers(...words: string[]): Promise<Heard> {
  const out = new Heard(true);
  await runProgram(['layers', ...words], '0.0.0', { out, exitCode: 0 });
  return out;
}

describe('layers', () => {
  test('all kinds, each once, in the order of the table', async () => {
    const { objects, lines } = await layers();
    expect(objects.map(({ kind }) => kind)).toEqual(layerKinds.map(({ kind }) => kind));
    for (const { kind } of layerKinds) expect(lines.filter((line) => line.startsWith(`  ${kind} `))).toHaveLength(1);
  });

  test('one kind, by its name in any case: parameters with defaults, formulas with numbers, PyTorch', async () => {
    const { objects, lines } = await layers('conv2d');
    expect(objects).toHaveLength(1);
    expect(objects[0]).toMatchObject({
      type: 'layer',
      kind: 'Conv2d',
      takes: 'floats',
      derived: ['in_channels'],
      arguments: expect.arrayContaining(['in_channels', 'out_channels']),
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: 'stride', default: 1 }),
        expect.not.objectContaining({ name: 'out_channels', default: expect.anything() }),
      ]),
    });
    const text = lines.join('\n');
    expect(text).toContain('padding_mode  "zeros"');
    expect(text).toMatch(/out_channels +required/);
    expect(text).toContain('weight: 4 · 3 · 3 · 3 = 108');
    expect(text).toContain('nn.Conv2d(3, 4, kernel_size=3, padding=1)');
  });

  test('every kind has a page, with the line of each example', async () => {
    for (const { kind, examples } of layerKinds) {
      const { objects, lines } = await layers(kind);
      expect(lines[0]).toMatch(new RegExp(`^${kind}: `));
      const shown = objects[0]?.examples as { python: string | null }[];
      expect(shown).toHaveLength(examples.length);
      for (const { python } of shown) expect(python).toMatch(/^[\w.]+\(.*\)$/s);
      expect(lines.join('\n')).not.toMatch(/undefined|\[object/);
    }
  });

  test('a word finds kinds', async () => {
    const { objects } = await layers('pooling');
    expect(objects.length).toBeGreaterThan(1);
    expect(objects.every(({ label, help }) => /pooling/i.test(`${label} ${help}`))).toBe(true);
  });
});
