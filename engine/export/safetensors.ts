/** Reads and writes safetensors files: eight bytes of header length, a JSON header, the tensors' bytes. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { systemError, writeWhole } from '../files.ts';
import { type ElementName, elementTypes, isElementName, type TensorSource, weightsError } from './tensor-source.ts';

/** The format's own bound. */
const maxHeaderBytes = 100_000_000;

export interface SafetensorsFile {
  path: string;
  /** In the header's order. */
  tensors: TensorSource[];
  metadata: Record<string, string>;
}

const sizes = z.array(z.number().int().min(0).max(Number.MAX_SAFE_INTEGER));
const entrySchema = z.object({
  dtype: z.string(),
  shape: sizes,
  data_offsets: z.tuple([sizes.element, sizes.element]),
});
/** Not z.record: that leaves out a key named __proto__, which a tensor may have. */
const headerSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const metadataSchema = z.record(z.string(), z.string());

/** Reads and checks the header; tensors are read when asked for. Throws FILE_NOT_FOUND, NOT_READABLE, WEIGHTS_FORMAT. */
export async function readSafetensors(path: string): Promise<SafetensorsFile> {
  const { text, dataStart, dataBytes } = await readHeader(path);
  let header: Record<string, unknown>;
  let metadata: Record<string, string>;
  try {
    const { __metadata__ = {}, ...rest } = headerSchema.parse(JSON.parse(text));
    metadata = metadataSchema.parse(__metadata__);
    header = rest;
  } catch (thrown) {
    throw weightsError(path, 'is no safetensors file: its header is not the JSON it should be', undefined, thrown);
  }
  const ranges: { name: string; start: number; end: number }[] = [];
  const tensors = Object.entries(header).map(([name, value]): TensorSource => {
    const entry = entrySchema.safeParse(value);
    if (!entry.success) throw weightsError(path, `describes the tensor ${JSON.stringify(name)} wrongly`);
    const { dtype, shape, data_offsets } = entry.data;
    const [start, end] = data_offsets;
    if (!isElementName(dtype)) {
      throw weightsError(
        path,
        `holds ${JSON.stringify(name)} of type ${dtype}, which is not supported`,
        'Convert it to float32 first.',
      );
    }
    const bytes = shape.reduce((product, dim) => product * dim, elementTypes[dtype].bytes);
    if (start > end || end > dataBytes || end - start !== bytes) {
      throw weightsError(path, `is damaged: the place of ${JSON.stringify(name)} does not fit its shape or the file`);
    }
    ranges.push({ name, start, end });
    return { name, dtype, shape, bytes, chunks: () => readRange(path, dataStart + start, bytes) };
  });
  let filled = 0;
  for (const { name, start, end } of ranges.sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (start !== filled) throw weightsError(path, `is damaged: ${JSON.stringify(name)} does not follow its neighbour`);
    filled = end;
  }
  if (filled !== dataBytes) throw weightsError(path, `is damaged: ${dataBytes - filled} bytes belong to no tensor`);
  return { path, tensors, metadata };
}

async function readHeader(path: string): Promise<{ text: string; dataStart: number; dataBytes: number }> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const start = Buffer.alloc(8);
      const { bytesRead } = await file.read(start, 0, 8, 0);
      const length = start.readBigUInt64LE();
      if (bytesRead < 8 || length < 2n || length > BigInt(Math.min(maxHeaderBytes, size - 8))) {
        throw weightsError(path, 'is no safetensors file, or it is cut short: its header does not fit in it');
      }
      const text = Buffer.alloc(Number(length));
      await file.read(text, 0, text.length, 8);
      return { text: text.toString('utf8'), dataStart: 8 + text.length, dataBytes: size - 8 - text.length };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    throw systemError(thrown, path, 'read');
  }
}

/** The bytes of a file from `start` on. Throws WEIGHTS_FORMAT if it has become shorter. */
export async function* readRange(path: string, start: number, bytes: number): AsyncGenerator<Uint8Array, void, void> {
  if (bytes === 0) return;
  let found = 0;
  try {
    for await (const chunk of createReadStream(path, { start, end: start + bytes - 1, highWaterMark: 1 << 20 })) {
      found += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  } catch (thrown) {
    throw systemError(thrown, path, 'read');
  }
  if (found !== bytes) throw weightsError(path, 'is cut short');
}

/**
 * Writes the tensors under a temporary name, lets `check` look at the file, and renames it to `path`. The header keeps the tensors' order; the
 * data lies with the widest elements first, as PyTorch needs it to map the file.
 */
export async function writeSafetensors<T>(
  path: string,
  tensors: TensorSource[],
  metadata: Record<string, string>,
  check?: (temporary: string) => Promise<T>,
): Promise<T | undefined> {
  const width = (dtype: ElementName) => elementTypes[dtype].bytes;
  const laid = [...tensors].sort((a, b) => width(b.dtype) - width(a.dtype));
  const places = new Map<string, [number, number]>();
  let end = 0;
  for (const { name, bytes } of laid) {
    places.set(name, [end, end + bytes]);
    end += bytes;
  }
  const header = {
    ...(Object.keys(metadata).length === 0 ? {} : { __metadata__: metadata }),
    ...Object.fromEntries(
      tensors.map(({ name, dtype, shape }) => [name, { dtype, shape, data_offsets: places.get(name) }]),
    ),
  };
  const json = Buffer.from(JSON.stringify(header));
  const text = Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, ' ')]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return writeWhole(
    path,
    async (file) => {
      await file.writeFile(Buffer.concat([length, text]));
      for (const tensor of laid) for await (const chunk of tensor.chunks()) await file.writeFile(chunk);
    },
    check,
  );
}
