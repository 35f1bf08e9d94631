/** A layer's values as files: NPY for numbers, PNG for eyes. */
import { crc32, deflateSync } from 'node:zlib';
import type { LookedLayer } from '../contract/look.ts';

type Values = NonNullable<LookedLayer['values']>;

/** As NumPy's `save` writes float32 (format 1.0). */
export function npy({ shape, data }: Values): Buffer {
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${dims}), }`;
  // Magic, version and the header's length, then the header up to a multiple of 64 bytes, a line end last.
  const before = 10;
  const length = Math.ceil((before + head.length + 1) / 64) * 64 - before;
  const start = Buffer.alloc(before);
  start.write('\x93NUMPY\x01\x00', 'latin1');
  start.writeUInt16LE(length, 8);
  return Buffer.concat([start, Buffer.from(`${head.padEnd(length - 1)}\n`, 'latin1'), Buffer.from(data, 'base64')]);
}

/** Pixels between two maps. */
const gap = 1;
/** Pictures of few values are enlarged to about so many pixels. */
const comfortable = 512;

/** What a picture is drawn of: maps beside each other, all on one scale. */
interface Maps {
  count: number;
  height: number;
  width: number;
  values: Float32Array;
}

/**
 * The maps of a layer (channels of images, else its one matrix or row) in a grid; white is the largest value, black the smallest, mid-grey 0
 * where there are negative ones. What is not finite is red.
 */
export function png(values: Values): Buffer {
  const maps = mapsOf(values);
  const columns = Math.ceil(Math.sqrt((maps.count * maps.height) / maps.width)) || 1;
  const across = Math.min(columns, maps.count);
  const down = Math.ceil(maps.count / across);
  const size = { width: across * (maps.width + gap) - gap, height: down * (maps.height + gap) - gap };
  const zoom = Math.max(1, Math.floor(comfortable / Math.max(size.width, size.height)));
  const [width, height] = [size.width * zoom, size.height * zoom];
  const shade = shades(maps.values);
  const rows = Buffer.alloc(height * (1 + 3 * width), 128);
  for (let y = 0; y < height; y++) rows[y * (1 + 3 * width)] = 0; // no filter
  const background = [90, 90, 160] as const;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [row, inRow] = divided(Math.floor(y / zoom), maps.height + gap);
      const [column, inColumn] = divided(Math.floor(x / zoom), maps.width + gap);
      const map = row * across + column;
      const inside = inRow < maps.height && inColumn < maps.width && map < maps.count;
      const value = maps.values[(map * maps.height + inRow) * maps.width + inColumn] as number;
      rows.set(inside ? shade(value) : background, y * (1 + 3 * width) + 1 + 3 * x);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8); // 8 bits a channel, RGB
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function mapsOf({ shape, data }: Values): Maps {
  const bytes = Buffer.from(data, 'base64');
  const values = new Float32Array(bytes.length / 4);
  for (let i = 0; i < values.length; i++) values[i] = bytes.readFloatLE(4 * i);
  const [height = 1, width = 1] = shape.length === 1 ? [1, shape[0]] : shape.slice(-2);
  return { count: shape.slice(0, -2).reduce((total, dim) => total * dim, 1), height, width, values };
}

function shades(values: Float32Array): (value: number) => readonly [number, number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const [low, high] = min < 0 ? [-Math.max(-min, max), Math.max(-min, max)] : [0, max];
  return (value) => {
    if (!Number.isFinite(value)) return [220, 40, 40];
    const grey = high > low ? Math.round((255 * (value - low)) / (high - low)) : 0;
    return [grey, grey, grey];
  };
}

function divided(value: number, by: number): [number, number] {
  const whole = Math.floor(value / by);
  return [whole, value - whole * by];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
