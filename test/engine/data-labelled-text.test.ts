/** The labelled_text source: folders of classes and tables become rows of tokens, filled up with token 0, and one class map. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ResolvedSource, resolveProject } from '../../engine/contract/project.ts';
import type { LabelledTextSource } from '../../engine/contract/sources/text.ts';
import { packSource } from '../../engine/data/index.ts';
import { openSource } from '../../engine/data/source.ts';
import { testFolder } from './idx-writer.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const source = (path: string, more: Partial<LabelledTextSource> = {}) =>
  resolveProject({ data: { source: { kind: 'labelled_text', path, ...more } } }).data.source as ResolvedSource;

async function packed(path: string, more: Partial<LabelledTextSource> = {}) {
  const pack = await packSource(source(path, more), '/', {
    cacheDir: testFolder(),
    addon: { writeRandom: async () => {} },
  });
  const { encoding } = JSON.parse(readFileSync(join(pack.folder, 'pack.json'), 'utf8'));
  const numbers = (part: string, role: string) =>
    [...new BigInt64Array(new Uint8Array(readFileSync(join(pack.folder, `${part}.${role}.bin`))).buffer)].map(Number);
  const length = pack.facts.input.dims[0] as number;
  const rows = (part: string) => {
    const ids = numbers(part, 'input');
    return Array.from({ length: ids.length / length }, (_, i) =>
      ids.slice(i * length, (i + 1) * length).map((id) => encoding.tokens[id] as string),
    );
  };
  const classes = pack.facts.target.kind === 'class' ? pack.facts.target.classes : [];
  const labels = (part: string) => numbers(part, 'target').map((index) => classes[index]);
  return { ...pack, rows, labels, classes, tokens: encoding.tokens as string[] };
}

function tree(files: Record<string, string | Buffer>): string {
  const folder = testFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

function table(content: string, name = 'texts.csv'): string {
  return join(tree({ [name]: content }), name);
}

describe('folders', () => {
  test('a folder a class in each part: filled up, cut, unknown words; one class map', async () => {
    const folder = tree({
      'train/pos/1.txt': 'Good, good film',
      'train/pos/2.txt': 'a very good film indeed',
      'train/neg/1.txt': 'Bad.',
      'train/unsup/1.txt': 'nobody knows',
      'test/pos/1.txt': 'Good surprise',
      'test/neg/1.txt': '',
      README: 'about',
      'train/urls.feat': 'x',
    });
    const pack = await packed(folder, { length: 4 });
    expect(pack.facts).toMatchObject({
      input: { dims: [4], dtype: 'int64', tokens: pack.tokens.length },
      target: { kind: 'class', classes: ['neg', 'pos'], counts: [1, 2] },
      parts: { train: 3, test: 2 },
    });
    expect(pack.tokens.slice(0, 4)).toEqual(['<pad>', '<unk>', 'good', 'film']);
    expect(pack.rows('train')).toEqual([
      ['bad', '.', '<pad>', '<pad>'],
      ['good', ',', 'good', 'film'],
      ['a', 'very', 'good', 'film'],
    ]);
    expect(pack.labels('train')).toEqual(['neg', 'pos', 'pos']);
    expect(pack.rows('test')).toEqual([
      ['<unk>', '<pad>', '<pad>', '<pad>'],
      ['good', '<unk>', '<pad>', '<pad>'],
    ]);
    const opened = await openSource(source(folder, { length: 4 }), '/');
    expect(opened.nameOf?.('train', 1)).toBe('train/pos/1.txt');
    const told = opened.notes?.flatMap(({ names }) => names ?? []);
    expect(told).toEqual(expect.arrayContaining(['README', 'train/unsup/1.txt', 'train/urls.feat']));
  });

  test('a folder a class without parts; names with blanks and other letters; files without an ending; latin-1', async () => {
    const folder = tree({
      'sci space/0001': 'rockets',
      'Küche/2': Buffer.from('Süße Äpfel', 'latin1'),
      '_/3.txt': 'x',
    });
    const pack = await packed(folder, { length: 2 });
    expect(pack.classes).toEqual(['Küche', '_', 'sci space']);
    expect(pack.rows('train')[0]).toEqual(['süße', 'äpfel']);
  });

  test('a class that the training part lacks is none: its texts stop the import, or are left out', async () => {
    const folder = tree({ 'train/b/1.txt': 'x', 'train/c/1.txt': 'y', 'test/a/1.txt': 'z', 'test/c/2.txt': 'z' });
    await expect(packed(folder)).rejects.toMatchObject({ message: expect.stringContaining('of its class a') });
    const pack = await packed(folder, { on_bad: 'skip' });
    expect(pack.classes).toEqual(['b', 'c']);
    expect(pack.labels('test').at(-1)).toBe('c');
    expect(pack.facts.parts).toEqual({ train: 2, test: 1 });
    const opened = await openSource(source(folder), '/');
    expect(opened.notes).toContainEqual(expect.objectContaining({ names: ['a'], count: 1 }));
  });
});

describe('tables', () => {
  test('the columns are found: labels by name, texts by length', async () => {
    const path = table(
      'id,label,message\n1,spam,"Win, win ""now"""\n2,ham,see you at the usual place\n3,spam,Win money\n4,ham,ok\n',
    );
    const pack = await packed(path, { length: 6 });
    expect(pack.classes).toEqual(['ham', 'spam']);
    expect(pack.labels('train')).toEqual(['spam', 'ham', 'spam', 'ham']);
    expect(pack.rows('train')[0]?.slice(0, 6)).toEqual(['win', ',', 'win', '"', 'now', '"']);
    const opened = await openSource(source(path), '/');
    expect(opened.nameOf?.('train', 1)).toBe('row 2');
  });

  test('columns may be said, several texts joined, parts named, numbers sorted as numbers', async () => {
    const path = table('rank;a;b;which\n10;one;two;train\n2;three;four;train\n2;five;six;test\n', 'x.csv');
    const pack = await packed(path, { text: ['a', 'b'], label: 'rank', part_column: 'which', length: 2 });
    expect(pack.classes).toEqual(['2', '10']);
    expect(pack.facts.parts).toEqual({ train: 2, test: 1 });
    expect(pack.rows('train')).toEqual([
      ['one', 'two'],
      ['three', 'four'],
    ]);
    expect(pack.labels('test')).toEqual(['2']);
    await expect(packed(path, { label: 'no' })).rejects.toMatchObject({
      code: 'DATA_FORMAT',
      hint: expect.stringContaining('rank'),
    });
  });

  test('JSON lines', async () => {
    const path = table('{"text": "a b", "label": "x"}\n{"text": "c d e", "label": "y"}\n', 'x.jsonl');
    expect((await packed(path, { length: 3 })).rows('train')).toEqual([
      ['a', 'b', '<pad>'],
      ['c', 'd', 'e'],
    ]);
  });

  test('rows without a label stop the import, or are left out', async () => {
    const path = table('text,label\nthe first one,a\nthe second one,\nthe third one,b\n');
    await expect(packed(path)).rejects.toMatchObject({ message: expect.stringContaining('label') });
    const pack = await packed(path, { on_bad: 'skip' });
    expect(pack.facts.parts.train).toBe(2);
  });
});
