// @ts-check
/** The files that the bench of data reads: sets of the shapes of public ones, made up but not simple. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';

/** A generator that gives the same numbers each time. */
function random(seed = 1) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Five files of CIFAR-10's binary version.
 * @param {string} folder
 * @param {number} samples of all
 */
export function writeCifar(folder, samples) {
  mkdirSync(folder, { recursive: true });
  const draw = random();
  const record = (/** @type {number} */ label) => {
    const bytes = new Uint8Array(3073);
    bytes[0] = label;
    for (let i = 1; i < bytes.length; i++) bytes[i] = 127 + 90 * Math.sin(i / (7 + label)) + 38 * draw();
    return bytes;
  };
  for (const name of ['data_batch_1', 'data_batch_2', 'data_batch_3', 'data_batch_4', 'data_batch_5', 'test_batch']) {
    const count = name === 'test_batch' ? 100 : samples / 5;
    const records = Array.from({ length: count }, (_, i) => record(i % 10));
    writeFileSync(path.join(folder, `${name}.bin`), Buffer.concat(records));
  }
  const classes = ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck'];
  writeFileSync(path.join(folder, 'batches.meta.txt'), `${classes.join('\n')}\n`);
}

/**
 * JPEGs of about 500 × 375 in folders of ten classes: large shapes with some grain, as heavy as photographs are.
 * @param {string} folder
 * @param {number} samples
 */
export async function writeJpegs(folder, samples) {
  const draw = random(7);
  for (let index = 0; index < samples; index++) {
    const [width, height] = [460 + Math.floor(draw() * 80), 350 + Math.floor(draw() * 50)];
    const pixels = new Uint8Array(width * height * 3);
    const [a, b, c] = [20 + 60 * draw(), 20 + 60 * draw(), 3 * draw()];
    for (let y = 0, at = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const base = 128 + 70 * Math.sin(x / a + c) * Math.cos(y / b) + 40 * (draw() - 0.5);
        pixels[at++] = base;
        pixels[at++] = 0.8 * base + 20;
        pixels[at++] = 255 - base;
      }
    }
    const place = path.join(folder, `class_${index % 10}`);
    mkdirSync(place, { recursive: true });
    await sharp(pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 88 })
      .toFile(path.join(place, `${index}.jpg`));
  }
}
