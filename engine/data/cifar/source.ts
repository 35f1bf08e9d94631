/** The `cifar` source: images of 32 × 32 pixels and their labels, row by row from the binary files. */
import { open } from 'node:fs/promises';
import { GradloomError } from '../../contract/errors.ts';
import type { CifarSource } from '../../contract/sources/cifar.ts';
import type { TargetType } from '../../contract/tensors.ts';
import type { ContentOptions } from '../content.ts';
import type { ColumnRows, OpenSource, WriteOptions } from '../open-source.ts';
import { remember } from '../remember.ts';
import type { Kept, Rows } from '../rows.ts';
import { type CifarFile, type CifarFiles, findCifar, pixelBytes } from './files.ts';

const standardNames = ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck'];

/** @throws GradloomError DATA_MISSING, DATA_FORMAT, DATA_TRUNCATED, NOT_READABLE */
export async function openCifar(settings: CifarSource, baseDir: string): Promise<OpenSource> {
  const found = await findCifar(settings.path, baseDir);
  const { train, test, labelBytes } = found;
  const width = pixelBytes + labelBytes;
  const count = (files: readonly CifarFile[]) => files.reduce((sum, { bytes }) => sum + bytes / width, 0);
  // CIFAR-100 has the coarse label before the fine one.
  const labelAt = labelBytes === 2 && settings.labels === 'fine' ? 1 : 0;
  const filesOf = (part: string) => (part === 'test' ? test : train);
  const labelsOf = (part: string) =>
    remember(['cifar labels', found.identity, part, labelAt], () => readLabels(filesOf(part), width, labelAt));
  return {
    identity: [found.identity, labelAt],
    readBytes: [...train, ...test].reduce((sum, { bytes }) => sum + bytes, 0),
    parts: { train: count(train), ...(test.length > 0 ? { test: count(test) } : {}) },
    columns: {
      input: { dtype: 'uint8', shape: [3, 32, 32], scaled: true },
      target: { dtype: 'int64', shape: [], scaled: false },
    },
    nameOf: (part, index) => nameOf(filesOf(part), width, index),
    rows: (part, keep) => rowsOf(filesOf(part), width, () => labelsOf(part), keep),
    notes:
      labelBytes === 1 && settings.labels === 'coarse'
        ? [{ message: 'CIFAR-10 has one label each: there are no coarse ones' }]
        : [],
    async target(): Promise<TargetType> {
      const labels = await labelsOf('train');
      const classes = classNames(found, settings.labels);
      const counts = new Array<number>(classes.length).fill(0);
      for (const part of test.length > 0 ? ['train', 'test'] : ['train']) {
        const own = part === 'train' ? labels : await labelsOf(part);
        const wrong = own.findIndex((label) => label >= classes.length);
        if (wrong < 0) continue;
        throw new GradloomError(
          'LABEL_RANGE',
          `${nameOf(filesOf(part), width, wrong)} has the label ${own[wrong]}; there are ${classes.length} classes.`,
          {
            hint: 'The files are damaged, or no CIFAR. Fetch them again.',
            path: filesOf(part)[0]?.path ?? settings.path,
          },
        );
      }
      for (const label of labels) counts[label] = (counts[label] as number) + 1;
      return { kind: 'class', classes, counts };
    },
    async write(part, sink, { signal, onRead }) {
      const files = filesOf(part);
      await sink('input', pixelRows(files, width, { signal, onRead }));
      const labels = BigInt64Array.from(await labelsOf(part), BigInt);
      await sink('target', async function* (first) {
        yield new Uint8Array(labels.buffer, 8 * first);
      });
    },
  };
}

function classNames({ names, labelBytes }: CifarFiles, labels: CifarSource['labels']): string[] {
  const file = labelBytes === 1 ? 'batches.meta.txt' : `${labels}_label_names.txt`;
  const count = labelBytes === 1 ? 10 : labels === 'fine' ? 100 : 20;
  const known = names.get(file) ?? (labelBytes === 1 ? standardNames : []);
  return Array.from({ length: count }, (_, label) => known[label] ?? String(label));
}

function nameOf(files: readonly CifarFile[], width: number, index: number): string {
  let first = 0;
  for (const { name, bytes } of files) {
    const count = bytes / width;
    if (index < first + count) return `${name} ${index - first}`;
    first += count;
  }
  return String(index);
}

/** Whole rows of all files, one after the other, some hundred at once. */
async function* wholeRows(files: readonly CifarFile[], width: number, options: (file: CifarFile) => ContentOptions) {
  for (const file of files) {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of file.content(options(file))) {
      const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = all.length - (all.length % width);
      if (whole > 0) yield all.subarray(0, whole);
      rest = all.subarray(whole);
    }
  }
}

async function readLabels(files: readonly CifarFile[], width: number, labelAt: number): Promise<Uint32Array> {
  const labels = new Uint32Array(files.reduce((sum, { bytes }) => sum + bytes / width, 0));
  let to = 0;
  for await (const rows of wholeRows(files, width, () => ({}))) {
    for (let at = labelAt; at < rows.length; at += width) labels[to++] = rows[at] as number;
  }
  return labels;
}

function pixelRows(
  files: readonly CifarFile[],
  width: number,
  { signal, onRead }: Pick<WriteOptions, 'signal' | 'onRead'>,
): ColumnRows {
  return async function* (first) {
    const options = (file: CifarFile) => ({ signal, onRead: onRead && ((bytes: number) => onRead(file.name, bytes)) });
    let skip = first;
    for await (const rows of wholeRows(files, width, options)) {
      const count = rows.length / width;
      const from = Math.min(skip, count);
      skip -= from;
      if (from < count) yield withoutLabels(rows.subarray(from * width), width);
    }
  };
}

function withoutLabels(rows: Buffer, width: number): Uint8Array {
  const count = rows.length / width;
  const pixels = new Uint8Array(count * pixelBytes);
  for (let row = 0; row < count; row += 1) {
    pixels.set(rows.subarray((row + 1) * width - pixelBytes, (row + 1) * width), row * pixelBytes);
  }
  return pixels;
}

function rowsOf(files: readonly CifarFile[], width: number, labels: () => Promise<Uint32Array>, keep: Kept): Rows {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const whole = (): Promise<Buffer> => {
    const key = JSON.stringify(files.map(({ path, name, bytes }) => [path, name, bytes]));
    if (keep.unpacked?.key === key) return keep.unpacked.bytes;
    const found = collect(files, width);
    keep.unpacked = { key, bytes: found };
    found.catch(() => {
      if (keep.unpacked?.bytes === found) keep.unpacked = null;
    });
    return found;
  };
  const pixels = async (index: number): Promise<Uint8Array> => {
    if (files.every(({ plain }) => plain)) return readAt(files, width, index);
    if (total <= keep.mostBytes) return (await whole()).subarray((index + 1) * width - pixelBytes, (index + 1) * width);
    let first = 0;
    for await (const rows of wholeRows(files, width, () => ({}))) {
      const at = (index - first + 1) * width;
      if (at <= rows.length) return rows.subarray(at - pixelBytes, at);
      first += rows.length / width;
    }
    return new Uint8Array(pixelBytes);
  };
  return {
    async inputs(positions, signal) {
      const found: Float32Array[] = [];
      for (const index of positions) {
        signal?.throwIfAborted();
        found.push(Float32Array.from(await pixels(index), (value) => Math.fround(value) / Math.fround(255)));
      }
      return found;
    },
    labels: () => labels(),
  };
}

async function collect(files: readonly CifarFile[], width: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const rows of wholeRows(files, width, () => ({}))) parts.push(rows);
  return Buffer.concat(parts);
}

async function readAt(files: readonly CifarFile[], width: number, index: number): Promise<Uint8Array> {
  let first = 0;
  for (const { path, bytes } of files) {
    const count = bytes / width;
    if (index < first + count) {
      const file = await open(path, 'r');
      try {
        const at = (index - first + 1) * width - pixelBytes;
        return (await file.read(Buffer.alloc(pixelBytes), 0, pixelBytes, at)).buffer;
      } finally {
        await file.close();
      }
    }
    first += count;
  }
  return new Uint8Array(pixelBytes);
}
