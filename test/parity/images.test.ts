/** Image files against Pillow and torchvision: the same pixels, the same resize, the same classes in the same order. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveProject } from '../../engine/contract/project.ts';
import { decodeImage } from '../../engine/data/images/decode.ts';
import { type ResizeMode, shaped } from '../../engine/data/images/geometry.ts';
import { readHeader } from '../../engine/data/images/header.ts';
import { openSource } from '../../engine/data/source.ts';
import { ramp, raw } from '../engine/image-writer.ts';
import { runPython } from './python.ts';

interface Answers {
  files: { [name: string]: { error: string } | { deep: boolean; shape: number[] } };
  classes: string[];
  samples: string[];
}

const top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-parity-'));
const [folder, out, classes] = ['files', 'out', 'classes'].map((name) => path.join(top, name)) as [
  string,
  string,
  string,
];
const size = 48;
let answers: Answers;

beforeAll(async () => {
  for (const made of [folder, out]) mkdirSync(made);
  for (const name of [
    'b/2.png',
    'b/10.png',
    'b/a/1.png',
    'B/1.png',
    'a b/1.png',
    'a/1.png',
    'é/1.png',
    '_/1.png',
    'b/a.png',
  ]) {
    const file = path.join(classes, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, await raw(ramp(12), 2, 3).png().toBuffer());
  }
  answers = await runPython<Answers>('images.py', { folder, out, size, classes });
}, 300_000);
afterAll(() => rmSync(top, { recursive: true, force: true }));

async function ours(name: string, kind: string, deep: boolean): Promise<Uint8Array> {
  const file = path.join(folder, name);
  const header = await readHeader(file);
  if (!header) throw new Error(`${name} is no image`);
  const channels = deep || kind === 'grey' ? 'L' : 'RGB';
  const pixels = await decodeImage(file, header, { channels, bits: deep ? 16 : 8 });
  const wanted = kind === 'plain' || kind === 'grey' ? null : ([size, size] as const);
  const mode: ResizeMode = wanted ? (kind as ResizeMode) : 'crop';
  return shaped(pixels, header.orientation, { size: wanted, mode, fill: [9], nearest: false });
}

function worst(a: Uint8Array, b: Uint8Array, deep: boolean): number {
  expect(a.length).toBe(b.length);
  const view = (bytes: Uint8Array): number[] =>
    Array.from(deep ? new Uint16Array(Uint8Array.from(bytes).buffer) : bytes);
  const [left, right] = [view(a), view(b)];
  return left.reduce((most, value, i) => Math.max(most, Math.abs(value - (right[i] as number))), 0);
}

/** JPEG alone is decoded by another build of the library, with the same arithmetic. */
const isJpeg = (name: string) => /\.jpg$|jpeg/.test(name);

describe('pixels', () => {
  test.each(['plain', 'grey', 'crop', 'stretch', 'pad'])('%s', async (kind) => {
    const off: string[] = [];
    let compared = 0;
    for (const [name, answer] of Object.entries(answers.files)) {
      if ('error' in answer) continue;
      // What torchvision pads a file of 16 bits with counts in other units.
      if (answer.deep && kind === 'pad') continue;
      const found = worst(
        await ours(name, kind, answer.deep),
        readFileSync(path.join(out, `${name}.${kind}`)),
        answer.deep,
      );
      const allowed = (isJpeg(name) ? 1 : 0) + (kind === 'plain' || kind === 'grey' ? 0 : 1);
      if (found > allowed) off.push(`${name}: ${found}`);
      compared += 1;
    }
    expect(off).toEqual([]);
    expect(compared).toBeGreaterThan(60);
  });

  test('what Pillow refuses as cut short is refused, and nothing else', async () => {
    const refused: string[] = [];
    for (const name of Object.keys(answers.files)) {
      await ours(name, 'plain', false).catch(() => refused.push(name));
    }
    const theirs = Object.entries(answers.files).flatMap(([name, answer]) => ('error' in answer ? [name] : []));
    expect(theirs.length).toBeGreaterThan(0);
    expect(refused).toEqual(theirs);
  });
});

test('classes and samples stand in the order of torchvision’s ImageFolder', async () => {
  const { data } = resolveProject({ data: { source: { kind: 'image_folder', path: classes } } });
  if (!data.source) throw new Error('no source');
  const source = await openSource(data.source, '/');
  expect(await source.target()).toMatchObject({ classes: answers.classes });
  const names = answers.samples.map((file) => path.relative(classes, file));
  expect(names.map((_, at) => source.nameOf?.('train', at))).toEqual(names);
});
