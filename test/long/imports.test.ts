/** Imports of much within little memory: pictures, and one large compressed file. */
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { start } from '../engine/cli-process.ts';
import { idxBytes } from '../engine/idx-writer.ts';
import { temporaryFolder } from '../journeys/command-line.ts';

/** What the import and all of its libraries may take, in bytes. */
const bound = 512 << 20;

/** The most memory that a process and those that it started have had. */
function highest(pid: number): number {
  try {
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    const own = 1024 * Number(/VmHWM:\s+(\d+)/.exec(read('status'))?.[1] ?? 0);
    const children = read(`task/${pid}/children`).split(' ').filter(Boolean).map(Number);
    return children.reduce((sum, child) => sum + highest(child), own);
  } catch {
    return 0; // it has ended
  }
}

/** Imports with a small heap; answers the most memory that all of it had. */
async function peakOf(home: string, words: string[]): Promise<{ peak: number; bytes: number }> {
  const live = start(home, ['data', 'import', ...words, '--json'], { NODE_OPTIONS: '--max-old-space-size=160' });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, highest(live.pid));
  }, 50);
  const { code, lines, stderr } = await live.ended;
  clearInterval(watch);
  expect(peak).toBeGreaterThan(100 << 20);
  expect(code, stderr).toBe(0);
  return { peak, bytes: Number(lines.at(-1)?.bytes) };
}

describe.skipIf(process.platform !== 'linux')('memory', () => {
  test('of pictures of more than a gigabyte', async () => {
    const folder = path.join(temporaryFolder(), 'a');
    mkdirSync(folder, { recursive: true });
    const side = 448;
    const pixels = Buffer.alloc(3 * side * side);
    for (let at = 0; at < pixels.length; at++) pixels[at] = (at * 7) ^ (at >> 4);
    const picture = await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
      .jpeg()
      .toBuffer();
    for (let i = 0; i < 2000; i++) writeFileSync(path.join(folder, `${i}.jpg`), picture);
    const { peak, bytes } = await peakOf(temporaryFolder(), [path.dirname(folder)]);
    expect(bytes).toBeGreaterThan(1 << 30);
    expect(peak).toBeLessThan(bound);
  });

  test('of an IDX file of two gigabytes, compressed', async () => {
    const folder = temporaryFolder();
    const [count, width] = [40_000, 50_000];
    const row = Buffer.alloc(width);
    function* content() {
      yield idxBytes([count, width], []);
      for (let i = 0; i < count; i++) yield row.fill(i & 255);
    }
    await pipeline(
      Readable.from(content()),
      createGzip({ level: 1 }),
      createWriteStream(path.join(folder, 'train-images.gz')),
    );
    writeFileSync(path.join(folder, 'train-labels'), idxBytes([count], Array(count).fill(0)));
    const { peak, bytes } = await peakOf(temporaryFolder(), [folder]);
    expect(bytes).toBeGreaterThan(count * width);
    expect(peak).toBeLessThan(bound);
  });
});
