/** Files that a run has never seen: predicted as its own rows are, also where its data are gone. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Prediction, predictFiles, predictRun, RunControl, trainRun } from '../../engine/runs/index.ts';
import { predictedOf } from './runs-helpers.ts';
import { csv } from './table-helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'gradloom-test-'));
const data = join(folder, 'data.csv');
const run = join(folder, 'run');
const rows = 120;

beforeAll(async () => {
  vi.stubEnv('GRADLOOM_CACHE', join(folder, 'cache'));
  vi.stubEnv('GRADLOOM_HOME', join(folder, 'home'));
  writeFileSync(
    data,
    csv(rows, {
      x: (i) => (i % 17 === 3 ? 'NA' : ((i * 37) % 23) / 2),
      colour: (i) => ['red', 'green', 'blue'][i % 3],
      y: (i) => (((i * 37) % 23) / 2 > 5 ? 'big' : 'small'),
    }),
  );
  const project = {
    gradloom: 1,
    data: { source: { kind: 'table', path: data, target: 'y' }, split: { val: 0.2 }, loader: { batch_size: 16 } },
    model: { layers: [{ kind: 'Linear', out_features: 8 }, { kind: 'ReLU' }, { kind: 'Linear', out_features: 2 }] },
    training: { epochs: 2, device: 'cpu' },
  };
  await trainRun({ projectText: JSON.stringify(project), run }, () => {}, new RunControl());
}, 60_000);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const predicted = (files: string[]) => predictedOf(run, files);

const given = (content: string, name = 'new.csv') => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('predict', () => {
  test('gives for the run’s own rows what the run gives, other columns and orders aside', async () => {
    const lines = csv(rows, {
      extra: () => 'no column of the run',
      colour: (i) => ['red', 'green', 'blue'][i % 3],
      x: (i) => (i % 17 === 3 ? 'NA' : ((i * 37) % 23) / 2),
    });
    const files = await predicted([given(lines)]);
    const own: Prediction[] = [];
    await predictRun(run, { split: 'train' }, (row) => {
      own.push(row);
    });
    const known = new Set(files.map(({ logits }) => JSON.stringify(logits)));
    expect(files).toHaveLength(rows);
    expect(own.every(({ logits }) => known.has(JSON.stringify(logits)))).toBe(true);
    expect(files[0]).toMatchObject({ name: 'row 1', target: null, label: expect.stringMatching(/^(big|small)$/) });
  });

  test('works where the data are gone', async () => {
    const file = given('x,colour\n3,red\n9,blue\n');
    const before = await predicted([file]);
    renameSync(data, `${data}.gone`);
    try {
      expect(await predicted([file])).toEqual(before);
    } finally {
      renameSync(`${data}.gone`, data);
    }
  });

  test('reads other formats, and several files', async () => {
    const json = given('{"colour":"red","x":3}\n', 'new.jsonl');
    const found = await predicted([json, given('x;colour\n9.5;blue\n', 'german.csv')]);
    expect(found.map(({ name }) => name)).toEqual([`${json} row 1`, `${join(folder, 'german.csv')} row 1`]);
  });

  test('tells of categories that training did not have', async () => {
    const notes: string[] = [];
    const file = given('x,colour\n3,pink\n');
    await predictFiles(run, [file], { onNote: ({ message }) => notes.push(message) }, () => {});
    expect(notes.join()).toContain(`colour: values of ${file} that no row that trains has`);
  });

  test.each([
    ['a column that is lacking', 'x\n3\n', /no column "colour"/],
    ['a text where a number is needed', 'x,colour\n3,red\nabc,red\n', /row 2: x: "abc" is no number/],
    ['rows of other lengths', 'x,colour\n3,red\n4,red,5\n', /line 3: 3 cells/],
  ])('%s is named', async (_, content, message) => {
    await expect(predicted([given(content)])).rejects.toMatchObject({
      code: 'DATA_FORMAT',
      message: expect.stringMatching(message),
    });
  });
});
