/** NumPy arrays and texts are recognised by what they hold, and what is suggested can be opened. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { resolveProject } from '../../engine/contract/project.ts';
import { inspectPath } from '../../engine/data/recognise/inspect.ts';
import { openSource } from '../../engine/data/source.ts';
import { counting, idxBytes, testFolder } from './idx-writer.ts';
import { float32, int64, npyBytes, npzBytes } from './npy-writer.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function tree(files: Record<string, string | Buffer>): string {
  const folder = testFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** The readings; those that say what they hold must open. */
async function found(path: string) {
  const inspection = await inspectPath(path);
  for (const { source, facts } of inspection.found) {
    if (!facts) continue;
    const resolved = resolveProject({ data: { source } }).data.source;
    expect(resolved).not.toBeNull();
    if (resolved) await openSource(resolved, '/');
  }
  return inspection.found;
}

const images = npyBytes([3, 4, 4, 3], Buffer.from(counting([3, 4, 4, 3])));

test('arrays in files and archives, whatever they are called; the layout is a guess that may be changed', async () => {
  const arrays = { x_train: images, y_train: int64([3], [0, 1, 2]) };
  const folder = tree({ 'data.bin.npz': await npzBytes(arrays) });
  for (const path of [folder, join(folder, 'data.bin.npz')]) {
    expect(await found(path)).toMatchObject([
      {
        source: { kind: 'npy', path },
        sure: 'certain',
        guesses: [{ key: 'layout', value: 'channels_last' }],
        facts: { input: { dims: [3, 4, 4] }, parts: { train: 3 } },
      },
    ]);
  }
  expect((await found(tree({ 'x.npy': images, 'y.npy.gz': gzipSync(int64([3], [0, 1, 2])) })))[0]?.sure).toBe(
    'certain',
  );
});

test('arrays without targets may be given again; whole numbers may be tokens', async () => {
  expect(await found(tree({ 'x.npy': float32([3, 4], counting([12])) }))).toMatchObject([
    { source: { kind: 'npy', target: 'input' }, sure: 'possible' },
  ]);
  const tokens = tree({ 'x.npy': int64([3, 4], counting([12])), 'y.npy': int64([3], [0, 1, 1]) });
  expect((await found(tokens)).map(({ source }) => source.tokens ?? false)).toEqual([false, true]);
});

test('IDX files, gzipped and called otherwise', async () => {
  const folder = tree({
    'pictures.dat': gzipSync(idxBytes([3, 2, 2], counting([12]))),
    'answers.dat': idxBytes([3], [0, 1, 2]),
  });
  expect(await found(folder)).toMatchObject([
    { source: { kind: 'idx' }, sure: 'certain', facts: { parts: { train: 3 } } },
  ]);
});

test('plain text, and a folder of texts for each class', async () => {
  const play = 'All the world is a stage,\nAnd all the men and women merely players.\n'.repeat(30);
  const folder = tree({ 'play.txt': play, README: 'about' });
  expect((await found(join(folder, 'play.txt'))).map(({ source }) => source.kind)).toContain('text');
  const classes = tree({
    'good/1.txt': 'A fine film.',
    'good/2.txt': 'I liked it',
    'bad/1.txt': 'Dull.',
    LICENSE: 'x',
  });
  expect(await found(classes)).toMatchObject([
    { source: { kind: 'labelled_text' }, facts: { target: { classes: ['bad', 'good'] }, parts: { train: 3 } } },
  ]);
});

test('a table of texts is one of texts before it is one of categories', async () => {
  const rows = Array.from({ length: 30 }, (_, i) => `this is message number ${i} of all,${i % 2 ? 'ham' : 'spam'}`);
  const path = join(tree({ 'sms.csv': `message,label\n${rows.join('\n')}\n` }), 'sms.csv');
  const readings = await found(path);
  expect(readings[0]).toMatchObject({
    source: { kind: 'labelled_text', text: 'message', label: 'label' },
    facts: { target: { classes: ['ham', 'spam'] }, parts: { train: 30 } },
  });
});

test('IDX images without labels may be given again', async () => {
  const folder = tree({ 'train-images-idx3-ubyte': idxBytes([3, 2, 2], counting([12])) });
  expect(await found(folder)).toMatchObject([
    {
      source: { kind: 'idx', target: 'input' },
      sure: 'possible',
      facts: { target: { kind: 'vector', dims: [1, 2, 2] } },
    },
  ]);
});
