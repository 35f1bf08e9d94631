// @ts-check
/** Screenshots as palette images: of the 8-bit RGB PNGs that Chromium makes, the 256 colours that tell most, a third of the size. */
import { deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xed_b8_83_20 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** @param {Buffer} bytes */
function crc(bytes) {
  let c = 0xff_ff_ff_ff;
  for (const byte of bytes) c = /** @type {number} */ (crcTable[(c ^ byte) & 255]) ^ (c >>> 8);
  return (c ^ 0xff_ff_ff_ff) >>> 0;
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, sum]);
}

/**
 * @param {Buffer} png 8 bits a channel, RGB or RGBA, or a palette's; not interlaced
 * @returns {{ width: number, height: number, colors: Uint32Array }} 0xRRGGBB a pixel
 */
export function decode(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : png[25] === 3 ? 1 : 3;
  const parts = [];
  /** @type {Buffer} */
  let table = Buffer.alloc(0);
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    if (type === 'PLTE') table = png.subarray(at + 8, at + 8 + length);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const lines = Buffer.alloc(stride * height);
  const colors = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= channels ? /** @type {number} */ (lines[at - channels]) : 0;
      const up = y > 0 ? /** @type {number} */ (lines[at - stride]) : 0;
      const corner = x >= channels && y > 0 ? /** @type {number} */ (lines[at - stride - channels]) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      lines[at] = /** @type {number} */ (raw[y * (stride + 1) + 1 + x]) + guess;
    }
    for (let x = 0; x < width; x++) {
      const at = y * stride + x * channels;
      colors[y * width + x] = channels === 1 ? table.readUIntBE(3 * (lines[at] ?? 0), 3) : lines.readUIntBE(at, 3);
    }
  }
  return { width, height, colors };
}

/** @param {number} left @param {number} up @param {number} corner */
function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** @typedef {{ color: number, count: number }} Shade */

/** @param {number} color @param {number} channel 0 for red */
const part = (color, channel) => (color >> (16 - 8 * channel)) & 255;

/**
 * Cuts the box of colours that spreads most, again and again.
 * @param {Map<number, number>} counts
 * @param {number} most
 * @returns {Map<number, number>} the palette's entry of each colour, and its colour by `-1 - entry`
 */
function palette(counts, most) {
  /** @type {Shade[][]} */
  const boxes = [[...counts].map(([color, count]) => ({ color, count }))];
  /** @param {Shade[]} box */
  const spread = (box) => {
    let best = { channel: 0, size: -1 };
    for (const channel of [0, 1, 2]) {
      const values = box.map(({ color }) => part(color, channel));
      const size =
        values.reduce((high, value) => Math.max(high, value), 0) - values.reduce((low, v) => Math.min(low, v), 255);
      if (size > best.size) best = { channel, size };
    }
    // Common colours count more, but few pixels of a colour of its own are seen as well.
    const weight = Math.log2(2 + box.reduce((sum, { count }) => sum + count, 0));
    return { channel: best.channel, size: box.length > 1 ? best.size * weight : -1 };
  };
  const spreads = boxes.map(spread);
  while (boxes.length < most) {
    const widest = spreads.reduce((at, { size }, index) => (size > (spreads[at]?.size ?? -1) ? index : at), 0);
    const { channel, size } = spreads[widest] ?? { channel: 0, size: -1 };
    if (size <= 0) break;
    const box = /** @type {Shade[]} */ (boxes[widest]).sort((a, b) => part(a.color, channel) - part(b.color, channel));
    const half = box.reduce((sum, { count }) => sum + count, 0) / 2;
    let [at, sum] = [0, 0];
    while (at < box.length - 1 && sum < half) sum += box[at++]?.count ?? 0;
    const rest = box.splice(Math.max(1, at));
    boxes.push(rest);
    spreads[widest] = spread(box);
    spreads.push(spread(rest));
  }
  const entries = new Map();
  for (const [entry, box] of boxes.entries()) {
    // The commonest colour stays what it is: backgrounds and lines keep their exact value.
    const main = box.reduce((a, b) => (b.count > a.count ? b : a));
    entries.set(-1 - entry, main.color);
    for (const { color } of box) entries.set(color, entry);
  }
  return entries;
}

/**
 * @param {Buffer} png
 * @returns {Buffer}
 */
export function toPalette(png) {
  const { width, height, colors } = decode(png);
  const counts = new Map();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const entries = palette(counts, 256);
  const size = [...entries.keys()].filter((key) => key < 0).length;
  const table = Buffer.alloc(3 * size);
  for (let entry = 0; entry < size; entry++) table.writeUIntBE(entries.get(-1 - entry) ?? 0, 3 * entry, 3);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (width + 1) + 1 + x] = entries.get(/** @type {number} */ (colors[y * width + x])) ?? 0;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
