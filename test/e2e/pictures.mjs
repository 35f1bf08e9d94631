// @ts-check
/** Whether a screenshot shows what a kept picture does: block by block what most of its pixels are, so that how letters are drawn is no matter. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, toPalette } from './palette-png.mjs';

const folder = fileURLToPath(new URL('pictures', import.meta.url));

/** Pixels at a side: smaller than a letter's line, larger than its strokes. */
const block = 8;
/** Of 255, of the channel that differs most. */
const sameShade = 8;
/** Of all blocks: a card that moves by its own height changes more. */
const most = 0.004;

/** @typedef {{ width: number, height: number, colors: Uint32Array }} Image */

/**
 * The commonest colour of each block.
 * @param {Image} image
 * @returns {{ columns: number, rows: number, shades: Uint32Array }}
 */
function shadesOf({ width, height, colors }) {
  const columns = Math.floor(width / block);
  const rows = Math.floor(height / block);
  const shades = new Uint32Array(columns * rows);
  for (let place = 0; place < shades.length; place++) {
    const [left, top] = [(place % columns) * block, Math.floor(place / columns) * block];
    const counts = new Map();
    let [best, common] = [0, 0];
    for (let y = top; y < top + block; y++) {
      for (let x = left; x < left + block; x++) {
        const color = colors[y * width + x] ?? 0;
        const count = (counts.get(color) ?? 0) + 1;
        counts.set(color, count);
        if (count > best) [best, common] = [count, color];
      }
    }
    shades[place] = common;
  }
  return { columns, rows, shades };
}

/**
 * The share of blocks that look otherwise; 1 where the sizes differ.
 * @param {Image} a
 * @param {Image} b
 */
function differingShare(a, b) {
  if (a.width !== b.width || a.height !== b.height) return 1;
  const [left, right] = [shadesOf(a).shades, shadesOf(b).shades];
  let different = 0;
  for (const [place, shade] of left.entries()) if (!alike(shade, right[place] ?? 0)) different += 1;
  return different / Math.max(1, left.length);
}

/** @param {Image} a @param {Image} b */
export const looksSame = (a, b) => differingShare(a, b) <= most;

/** @param {number} a @param {number} b */
function alike(a, b) {
  return [16, 8, 0].every((shift) => Math.abs(((a >> shift) & 255) - ((b >> shift) & 255)) <= sameShade);
}

/**
 * null: it shows what the kept picture does. With `UPDATE_PICTURES=1` it is kept from now on.
 * @param {string} name
 * @param {Buffer} png as Chromium makes it
 * @param {string} failures where it is put if it differs
 * @returns {string | null}
 */
export function differsFromPicture(name, png, failures) {
  const file = path.join(folder, `${name}.png`);
  if (process.env.UPDATE_PICTURES === '1') {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, toPalette(png));
    return null;
  }
  const how = 'Look at it; if it is meant, keep it by UPDATE_PICTURES=1 (see CONTRIBUTING.md).';
  if (!existsSync(file)) return `There is no picture ${name}. ${how}`;
  const share = differingShare(decode(png), decode(readFileSync(file)));
  if (share <= most) return null;
  mkdirSync(failures, { recursive: true });
  const shown = path.join(failures, `${name}.png`);
  writeFileSync(shown, png);
  return `${(100 * share).toFixed(2)} % of ${name} look otherwise than in ${file}: ${shown}. ${how}`;
}
