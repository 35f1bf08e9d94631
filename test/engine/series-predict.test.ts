/** Files of series that a run has never seen: their numbers are read as the run's were, whatever these files suggest by themselves. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../engine/contract/report.ts';
import { samplesOf } from '../../engine/data/predict/files.ts';
import { openSource } from '../../engine/data/source.ts';
import { testFolder } from './idx-writer.ts';
import { chosen, fileOf, packed } from './table-helpers.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The run's table writes decimal commas: one of its values shows it. */
const table = `v;t\n${Array.from({ length: 12 }, (_, i) => `${i},${i}${i % 10}5;${i}`).join('\n')}\n3,5;1\n`;

async function predicted(content: string, settings: { [key: string]: unknown } = {}) {
  const given = {
    kind: 'series',
    path: fileOf(table),
    window: 2,
    inputs: ['v'],
    scale: 'none',
    test_part: 0,
    ...settings,
  };
  const { source, split } = chosen(given);
  const opened = await openSource(source, '/', { split });
  const { facts } = await packed(given);
  const encoding = (await opened.encoding?.()) as JsonObject;
  const found = await samplesOf({
    stored: undefined,
    source,
    encoding,
    facts,
    files: [fileOf(content, 'new.csv')],
    folder: testFolder(),
  });
  const bytes = readFileSync(found.input.path);
  const values = Array.from(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4));
  return { ...found, values, notes: found.notes.map(({ message, count }) => ({ message, count })) };
}
const close = (values: number[]) => values.map((value) => Math.fround(value));

test('by the run’s mark of decimals and tokens, not by a guess from the new file', async () => {
  const { values, notes } = await predicted('v;t\n1.234;0\n2,500;1\n-0,192;2\n');
  expect(values).toEqual(close([1234, 2.5, 2.5, -0.192]));
  expect(notes).toEqual([]);
  const missing = await predicted('v;t\n7,332;0\n8,970;1\nxx;2\n1,5;3\n2,5;4\n', { missing: ['xx'], fill: 'skip' });
  expect(missing.values).toEqual(close([7.332, 8.97, 1.5, 2.5]));
  expect(missing.notes).toEqual([{ message: expect.stringMatching(/^Windows of .* left out$/), count: 2 }]);
});

test('cells that are no numbers stop with their rows, or count as missing and are told', async () => {
  const content = 'v;t\n1,5;0\n2,5;1\nbad;2\n3,5;3\n4,5;4\n';
  await expect(predicted(content)).rejects.toMatchObject({
    code: 'DATA_FORMAT',
    message: expect.stringContaining('row 3: v: "bad" is no number'),
  });
  const { values, notes } = await predicted(content, { on_bad: 'skip', fill: 'skip' });
  expect(values).toEqual(close([1.5, 2.5, 3.5, 4.5]));
  expect(notes.map(({ count }) => count)).toEqual([1, 2]);
});
