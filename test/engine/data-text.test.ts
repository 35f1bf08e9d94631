/** The text source: windows of tokens as a few lines of plain code would cut them, whatever the chunks, encodings and line breaks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ResolvedSource, resolveProject } from '../../engine/contract/project.ts';
import type { TextSource } from '../../engine/contract/sources/text.ts';
import { describeSource, packSource } from '../../engine/data/index.ts';
import { openSource } from '../../engine/data/source.ts';
import { Tokenizer, tokensIn } from '../../engine/data/text/tokenizer.ts';
import { Counter } from '../../engine/data/text/vocabulary.ts';
import { windowCount } from '../../engine/data/text/windows.ts';
import { folderOf, testFolder } from './idx-writer.ts';

const source = (path: string, more: Partial<TextSource> = {}) =>
  resolveProject({ data: { source: { kind: 'text', path, ...more } } }).data.source as ResolvedSource;

async function packed(path: string, more: Partial<TextSource> = {}) {
  const cacheDir = testFolder();
  const pack = await packSource(source(path, more), '/', { cacheDir, addon: { writeRandom: async () => {} } });
  const file = JSON.parse(readFileSync(join(pack.folder, 'pack.json'), 'utf8'));
  const vocabulary = file.encoding.tokens as string[];
  const rows = (part: string, role: 'input' | 'target') => {
    const bytes = new Uint8Array(readFileSync(join(pack.folder, `${part}.${role}.bin`))).buffer;
    const ids = [...new BigInt64Array(bytes)].map(Number);
    const length = pack.facts.input.dims[0] as number;
    return Array.from({ length: ids.length / length }, (_, i) =>
      ids.slice(i * length, (i + 1) * length).map((id) => vocabulary[id] as string),
    );
  };
  return { ...pack, vocabulary, rows, texts: (part: string) => rows(part, 'input').map((row) => row.join('')) };
}

const text = (content: string | Buffer, name = 'text.txt') => join(folderOf({ [name]: Buffer.from(content) }), name);

describe('characters', () => {
  test('windows without overlap, each with what follows, and a test part at the end', async () => {
    const pack = await packed(text('abcdefghijklmnopqrst'), { length: 4, test: 0.3 });
    expect(pack.facts).toEqual({
      input: { dims: [4], dtype: 'int64', tokens: 15 },
      target: { kind: 'next_token', dims: [4], tokens: 15 },
      parts: { train: 3, test: 1 },
    });
    expect(pack.texts('train')).toEqual(['abcd', 'efgh', 'ijkl']);
    expect(pack.rows('train', 'target').map((row) => row.join(''))).toEqual(['bcde', 'fghi', 'jklm']);
    // The letters from o on are in the test part only.
    expect(pack.vocabulary).toEqual(['<unk>', ...'abcdefghijklmn']);
    expect(pack.rows('test', 'input')).toEqual([['<unk>', '<unk>', '<unk>', '<unk>']]);
  });

  test('a stride makes them overlap, or leaves some out', async () => {
    const path = text('abcdefghij');
    const of = async (stride: number) => (await packed(path, { length: 3, stride, test: 0 })).texts('train');
    expect(await of(1)).toEqual(['abc', 'bcd', 'cde', 'def', 'efg', 'fgh', 'ghi']);
    expect(await of(2)).toEqual(['abc', 'cde', 'efg', 'ghi']);
    expect(await of(5)).toEqual(['abc', 'fgh']);
    const { notes } = await openSource(source(path, { length: 3, stride: 1 }), '/');
    expect(notes).toContainEqual(expect.objectContaining({ message: expect.stringMatching(/overlap.*"test"/) }));
  });

  test('are code points; accents that combine stay as they are', async () => {
    const pack = await packed(text('a🙂é🙂e\u0301n'), { length: 5, test: 0 });
    expect(pack.rows('train', 'input')).toEqual([['a', '🙂', 'é', '🙂', 'e']]);
    expect(pack.vocabulary).toEqual(['<unk>', 'a', 'e', 'n', 'é', '\u0301', '🙂']);
  });

  test.each<[string, Buffer]>([
    ['with a byte-order mark', Buffer.from('\ufeffgrün\r\nblau\r\nrot\r\n')],
    ['with carriage returns alone', Buffer.from('grün\rblau\rrot\r')],
    ['in UTF-16', Buffer.from('\ufeffgrün\nblau\nrot\n', 'utf16le')],
    ['in Windows-1252', Buffer.from('grün\nblau\nrot\n', 'latin1')],
    ['gzipped', gzipSync(Buffer.from('grün\nblau\nrot\n'))],
  ])('%s', async (_, content) => {
    const pack = await packed(text(content), { length: 13, test: 0 });
    expect(pack.texts('train')).toEqual(['grün\nblau\nrot']);
  });

  test('lower case, the most frequent ones only, or those that are there often', async () => {
    const path = text('AAAABBBCCD AAAABBBCCD');
    expect((await packed(path, { length: 4, test: 0, lowercase: true })).vocabulary).toEqual(['<unk>', ...' abcd']);
    const few = await packed(path, { length: 4, test: 0, vocabulary: 3 });
    expect(few.vocabulary).toEqual(['<unk>', 'A', 'B']);
    expect(few.rows('train', 'input')[1]).toEqual(['B', 'B', 'B', '<unk>']);
    expect((await packed(path, { length: 4, test: 0, min_count: 4 })).vocabulary).toEqual(['<unk>', ...'ABC']);
  });
});

describe('words', () => {
  test.each<[string, string[]]>([
    ["Don't stop, it’s 3.5 km!", ["don't", 'stop', ',', 'it’s', '3', '.', '5', 'km', '!']],
    ['snake_case naïve Čeština', ['snake_case', 'naïve', 'čeština']],
    ['我爱你 and 東京', ['我', '爱', '你', 'and', '東', '京']],
    ['"quoted"—dash', ['"', 'quoted', '"', '—', 'dash']],
    ['  \t\n ', []],
  ])('%j', (content, expected) => {
    expect(tokensIn(content, { level: 'word', lowercase: true })).toEqual(expected);
  });

  test('line breaks are tokens of a text; a word is never cut by the beginning of the test part', async () => {
    const pack = await packed(text('one two three\nfour five six seven eight'), {
      level: 'word',
      lowercase: false,
      length: 2,
      test: 0.5,
    });
    expect(pack.rows('train', 'input').flat()).toEqual(['one', 'two', 'three', '\n']);
    expect(pack.rows('test', 'input').flat()).toEqual(['<unk>', '<unk>']);
    expect(pack.vocabulary.slice(1).sort()).toEqual(['\n', 'four', 'one', 'three', 'two'].sort());
    expect(pack.facts.parts).toEqual({ train: 2, test: 1 });
  });

  test('the vocabulary begins with the most frequent', async () => {
    const pack = await packed(text('b a b c a b d'), { level: 'word', length: 2, test: 0 });
    expect(pack.vocabulary).toEqual(['<unk>', 'b', 'a', 'c', 'd']);
  });
});

describe('folders', () => {
  test('files are one text by name, a line break between them; others are told', async () => {
    const folder = folderOf({
      'b.txt': Buffer.from('cd'),
      'a.txt': Buffer.from('ab'),
      'c.md': Buffer.from('e\n'),
      'x.png': Buffer.from('x'),
    });
    expect((await packed(folder, { length: 7, test: 0 })).texts('train')).toEqual(['ab\ncd\ne']);
    const { notes } = await openSource(source(folder, { length: 7, test: 0 }), '/');
    expect(notes?.[0]).toMatchObject({ names: ['x.png'], count: 1 });
  });

  test('files that are called train, valid and test are those parts', async () => {
    const folder = folderOf({
      'wiki.train.tokens': Buffer.from('abcabcabc'),
      'wiki.valid.tokens': Buffer.from('abca'),
      'wiki.test.tokens': Buffer.from('cbaz'),
      'README.md': Buffer.from('about'),
    });
    const pack = await packed(folder, { length: 3 });
    expect(pack.facts.parts).toEqual({ train: 2, val: 1, test: 1 });
    expect(pack.vocabulary).toEqual(['<unk>', 'a', 'b', 'c']);
    expect(pack.texts('test')).toEqual(['cba']);
    const { notes } = await openSource(source(folder, { length: 3 }), '/');
    expect(notes?.[0]).toMatchObject({ names: ['README.md'], count: 1 });
  });

  test('what is wrong is said', async () => {
    const facts = (path: string, more: Partial<TextSource> = {}) => describeSource(source(path, more), '/');
    await expect(facts(folderOf({ 'x.png': Buffer.from('x') }))).rejects.toMatchObject({ code: 'DATA_MISSING' });
    await expect(facts(join(testFolder(), 'no.txt'))).rejects.toMatchObject({ code: 'DATA_MISSING' });
    await expect(facts(text('short'))).rejects.toMatchObject({
      code: 'DATA_COUNT',
      message: expect.stringMatching(/5 tokens|4 tokens/),
    });
    await expect(facts(text('a'.repeat(999)), { encoding: 'utf-99' })).rejects.toMatchObject({ code: 'DATA_FORMAT' });
  });
});

test('a changed text or another length is another pack', async () => {
  const path = text('abcdefghijklmnop');
  const cacheDir = testFolder();
  const hash = async (more: Partial<TextSource> = {}) =>
    (await packSource(source(path, { length: 3, ...more }), '/', { cacheDir, addon: { writeRandom: async () => {} } }))
      .hash;
  const first = await hash();
  expect(await hash()).toBe(first);
  expect(await hash({ length: 4 })).not.toBe(first);
  writeFileSync(path, 'abcdefghijklmnopq!');
  expect(await hash()).not.toBe(first);
});

test('tokens are the same wherever the pieces of the stream end', () => {
  const alphabet = fc.constantFrom('a', 'B', 'Σ', 'é', '🙂', '\r', '\n', ' ', "'", ',', '日', '_', '7', '\u0301');
  const content = fc.array(alphabet, { maxLength: 40 }).map((parts) => parts.join(''));
  const cuts = fc.array(fc.nat(60), { maxLength: 6 });
  fc.assert(
    fc.property(
      content,
      cuts,
      fc.constantFrom('char', 'word') as fc.Arbitrary<'char' | 'word'>,
      fc.boolean(),
      (whole, at, level, lowercase) => {
        const settings = { level, lowercase };
        const once = new Tokenizer(settings, true);
        const expected = [...once.push(whole), ...once.end()];
        const points = Array.from(whole);
        const places = [0, ...at.map((place) => place % (points.length + 1)).sort((a, b) => a - b), points.length];
        const piecewise = new Tokenizer(settings, true);
        const found = places.slice(1).flatMap((end, i) => [...piecewise.push(points.slice(places[i], end).join(''))]);
        expect([...found, ...piecewise.end()]).toEqual(expected);
        const plain = whole.replace(/\r\n?/g, '\n');
        if (level === 'char' && !lowercase) expect(expected).toEqual(Array.from(plain));
      },
    ),
  );
});

test('many chunks of a larger text give the windows of the whole', async () => {
  const letters = Array.from({ length: 700_000 }, (_, i) => 'abcdefgh ü\n'[(i * i + (i >> 3)) % 11] as string).join('');
  const pack = await packed(text(letters), { length: 100, stride: 70, test: 0.2 });
  const bytes = Buffer.from(letters);
  const train = bytes
    .subarray(0, Math.floor(bytes.length * 0.8))
    .toString('utf8')
    .replace(/\ufffd$/, '');
  const windows = (part: string) =>
    Array.from({ length: windowCount(part.length, 100, 70) }, (_, i) => part.slice(i * 70, i * 70 + 100));
  expect(pack.texts('train')).toEqual(windows(train));
  expect(pack.texts('test')).toEqual(windows(letters.slice(train.length)));
});

test('the vocabulary: specials first, then by code point or frequency', () => {
  const counter = new Counter();
  counter.add(['b', 'a', '<unk>', 'b', '🙂', '\uffee']);
  const all = { vocabulary: null, min_count: 1 };
  expect(counter.vocabulary(['<unk>'], { level: 'char', ...all }).tokens).toEqual(['<unk>', 'a', 'b', '\uffee', '🙂']);
  expect(counter.vocabulary(['<pad>', '<unk>'], { level: 'word', ...all }).tokens.slice(0, 4)).toEqual([
    '<pad>',
    '<unk>',
    'b',
    'a',
  ]);
});
