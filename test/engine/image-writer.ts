/** Image files for tests, made as they are needed: by sharp, or byte by byte where it does not write such. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { resolveProject } from '../../engine/contract/project.ts';
import { packSource } from '../../engine/data/index.ts';
import type { OpenSource } from '../../engine/data/open-source.ts';
import { openSource } from '../../engine/data/source.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { testFolder } from './idx-writer.ts';

/** `values`: height × width × channels, from the top. */
export function raw(values: number[], width: number, channels: 1 | 2 | 3 | 4, bits: 8 | 16 = 8): Sharp {
  const data = bits === 16 ? Uint16Array.from(values) : Uint8Array.from(values);
  return sharp(data, { raw: { width, height: values.length / width / channels, channels } });
}

/** `count` values that repeat late. */
export function ramp(count: number, step = 7): number[] {
  return Array.from({ length: count }, (_, i) => (i * step) % 256);
}

export async function imageFolder(
  files: Record<string, Sharp | Buffer>,
  folder: string = testFolder(),
): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.isBuffer(content) ? content : await content.toBuffer());
  }
  return folder;
}

/** A source with every default. */
export function opened(source: { kind: string; [key: string]: unknown }): Promise<OpenSource> {
  return openSource(resolved(source), '/');
}

function resolved(source: { kind: string; [key: string]: unknown }) {
  const { data } = resolveProject({ data: { source } });
  if (!data.source) throw new Error(`no source: ${JSON.stringify(source)}`);
  return data.source;
}

/** Packs it into a cache of its own. */
export function packed(source: { kind: string; [key: string]: unknown }) {
  return packSource(resolved(source), '/', { cacheDir: testFolder(), addon: loadAddon() });
}

/** What a part's column holds, all rows in one. */
export async function written(source: OpenSource, part: string, role: 'input' | 'target' | 'group'): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await source.write(
    part,
    async (own, rows) => {
      for await (const chunk of typeof rows === 'function' ? rows(0) : rows) if (own === role) chunks.push(chunk);
    },
    {
      addon: loadAddon(),
      onBad: ({ name, reason }) => {
        throw new Error(`${name}: ${reason}`);
      },
      paths: { input: '', target: '', group: '' },
    },
  );
  return Buffer.concat(chunks);
}

/** The samples of a part as a preview shows them. */
export async function previewed(source: OpenSource, part: string, positions: number[]): Promise<number[][]> {
  const rows = source.rows?.(part, { mostBytes: 1 << 20, unpacked: null });
  return ((await rows?.inputs(positions)) ?? []).map((values) => Array.from(values));
}

/** What a BMP file is made of: `rows` as they lie in the file. */
export function bmp(options: {
  width: number;
  height: number;
  bits: number;
  compression?: number;
  palette?: number[][];
  masks?: number[];
  rows: number[];
}): Buffer {
  const { width, height, bits, compression = 0, palette = [], masks = [], rows } = options;
  const offset = 54 + 4 * masks.length + 4 * palette.length;
  const file = Buffer.alloc(offset + rows.length);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(offset, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(bits, 28);
  file.writeUInt32LE(compression, 30);
  file.writeUInt32LE(palette.length, 46);
  masks.forEach((mask, i) => {
    file.writeUInt32LE(mask, 54 + 4 * i);
  });
  palette.forEach(([red = 0, green = 0, blue = 0], i) => {
    file.set([blue, green, red, 0], 54 + 4 * masks.length + 4 * i);
  });
  file.set(rows, offset);
  return file;
}
