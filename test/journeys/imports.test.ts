/** Imports of image folders as people have them: killed at any moment and gone on with, and within a bound of memory. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { gradloom, start } from '../engine/cli-process.ts';
import { temporaryFolder } from './command-line.ts';

const size = 256;

/** Pictures of noise, each another. */
async function imageFolder(count: number): Promise<string> {
  const folder = path.join(temporaryFolder(), 'images');
  for (let i = 0; i < count; i++) {
    const of = path.join(folder, i % 2 === 0 ? 'even' : 'odd');
    if (i < 2) mkdirSync(of, { recursive: true });
    const pixels = Buffer.alloc(3 * size * size);
    for (let at = 0; at < pixels.length; at++) pixels[at] = (at * (i + 3)) ^ (at >> 5);
    const png = await sharp(pixels, { raw: { width: size, height: size, channels: 3 } })
      .png({ compressionLevel: 1 })
      .toBuffer();
    writeFileSync(path.join(of, `${String(i).padStart(5, '0')}.png`), png);
  }
  return folder;
}

test('killed at any moment, an import goes on where it stopped and is what it would have been', async () => {
  const home = temporaryFolder();
  const folder = await imageFolder(800);
  const packs = path.join(home, 'cache', 'packs');
  const journalOf = () => {
    const [left] = readdirSync(packs).filter((name) => name.endsWith('.tmp'));
    return left === undefined ? null : JSON.parse(readFileSync(path.join(packs, left, 'journal.json'), 'utf8'));
  };
  const rows: number[] = [];
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    // With one thread it lasts, on whatever machine.
    const live = start(home, ['data', 'import', folder, '--json'], { UV_THREADPOOL_SIZE: '1' });
    const from = rows.at(-1) ?? 0;
    await live.until(({ type }) => type === 'progress');
    await expect
      .poll(
        () => {
          try {
            return journalOf()?.columns['train.input']?.bytes ?? 0;
          } catch {
            return 0; // not there yet
          }
        },
        { interval: 20, timeout: 60_000 },
      )
      .toBeGreaterThan(from);
    live.kill(signal);
    const { code, stderr } = await live.ended;
    if (signal === 'SIGINT') {
      expect([code, stderr]).toEqual([130, expect.stringContaining('goes on where it stopped')]);
    }
    rows.push(journalOf().columns['train.input'].bytes);
  }
  expect(rows[1]).toBeGreaterThan(rows[0] as number);
  const live = start(home, ['data', 'import', folder, '--json']);
  const first = await live.until(({ type }) => type === 'progress');
  expect(first.file ?? '').not.toMatch(/even\/00000/);
  const { code, lines } = await live.ended;
  expect(code).toBe(0);
  const straight = await gradloom(home, ['data', 'import', folder, '--json', '--out', path.join(home, 'straight')], {
    GRADLOOM_CACHE: path.join(home, 'another'),
  });
  const made = lines.at(-1);
  expect(made).toMatchObject({ type: 'import', facts: { parts: { train: 800 } } });
  expect(straight.lines.at(-1)?.hash).toBe(made?.hash);
  expect(readdirSync(packs)).toHaveLength(1);
});

test('a picture that cannot be read stops an import once all are known, or is left out (case 5)', async () => {
  const home = temporaryFolder();
  const folder = await imageFolder(40);
  const cut = path.join(folder, 'odd', '00007.png');
  writeFileSync(cut, readFileSync(cut).subarray(0, 300));
  writeFileSync(path.join(folder, 'even', '00003.png'), 'no picture at all');
  const stopped = await gradloom(home, ['data', 'import', folder, '--json']);
  expect(stopped.code).toBe(2);
  expect(stopped.lines.at(-1)).toMatchObject({ type: 'error', code: 'DATA_FORMAT' });
  for (const name of ['odd/00007.png', 'even/00003.png']) expect(String(stopped.lines.at(-1)?.message)).toContain(name);
  const skipped = await gradloom(home, ['data', 'import', folder, '--json', '--set', 'on_bad=skip']);
  expect(skipped.lines.at(-1)).toMatchObject({ facts: { parts: { train: 39 } }, left_out: { count: 2 } });
});
