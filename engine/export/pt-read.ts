/** Reads the tensors of a `.pt` or `.pth` file in PyTorch's zip format, without Python and without running anything in it. */
import { type FileHandle, open } from 'node:fs/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { GradloomError } from '../contract/errors.ts';
import { systemError } from '../files.ts';
import { type PickleDict, PickleError, TensorReference, unpickle } from './pickle-read.ts';
import { readRange } from './safetensors.ts';
import { type ElementName, elementTypes, type TensorSource, unwrapNames, weightsError } from './tensor-source.ts';

/** A state_dict's pickle needs some hundred bytes a tensor. */
const maxPickleBytes = 256 * 1024 * 1024;
/** How often checkpoints put their weights inside another dict. */
const maxNesting = 4;
/** Where training scripts put the weights in their checkpoints. */
const nestingKeys = ['state_dict', 'model_state_dict', 'model', 'net', 'weights'];
const again = 'In Python, load it and write it again with torch.save(model.state_dict(), path).';

const byStorage = new Map(
  Object.entries(elementTypes).map(([name, { storage }]) => [storage as string, name as ElementName]),
);

interface ZipRecord {
  start: number;
  bytes: number;
}

/**
 * The tensors of the file's state_dict, in order, under names without wrappers' prefixes; strided ones are laid out contiguously when read.
 * Throws FILE_NOT_FOUND, NOT_READABLE, WEIGHTS_FORMAT.
 */
export async function readPt(path: string): Promise<TensorSource[]> {
  const fileBytes = await checkKind(path);
  const { records, pickle, bigEndian } = await readArchive(path, fileBytes);
  let root: unknown;
  try {
    root = unpickle(pickle);
  } catch (thrown) {
    if (thrown instanceof PickleError) throw weightsError(path, thrown.message, again, thrown);
    throw weightsError(path, 'is damaged', again, thrown);
  }
  const tensors = [...stateDict(path, root)].map(([name, tensor]) =>
    openTensor(path, name, tensor, records, bigEndian),
  );
  // Views may repeat a storage (tied weights), but not blow a small file up into an endless one.
  const total = tensors.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > Math.max(64 * fileBytes, 2 ** 26))
    throw weightsError(path, `describes ${total} bytes of tensors, far more than it holds`, again);
  return unwrapNames(tensors);
}

async function checkKind(path: string): Promise<number> {
  try {
    const file = await open(path, 'r');
    try {
      const start = Buffer.alloc(16);
      const { bytesRead } = await file.read(start, 0, 16, 0);
      if (bytesRead >= 4 && start.readUInt32LE() === 0x04034b50) return (await file.stat()).size;
      // The magic number 0x1950a86a20f9469cfc6c, pickled, or a tar archive: what PyTorch wrote before 1.6.
      const old = start.subarray(0, 2).equals(Buffer.from([0x80, 2])) || (await isTar(file));
      if (old) throw weightsError(path, 'is in the format of PyTorch before 1.6', again);
      const named = path.toLowerCase().endsWith('.safetensors');
      throw weightsError(
        path,
        named ? 'is no safetensors file, or it is damaged' : 'is no PyTorch file, or it is damaged',
        'Write or fetch it again: weights are a .safetensors file, or a .pt file written by torch.save.',
      );
    } finally {
      await file.close();
    }
  } catch (thrown) {
    throw systemError(thrown, path, 'read');
  }
}

async function isTar(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(5), 0, 5, 257);
  return bytesRead === 5 && buffer.toString('latin1') === 'ustar';
}

async function readArchive(path: string, fileBytes: number) {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    const name = [...entries.keys()].find((each) => each.endsWith('/data.pkl') && each.split('/').length === 2);
    if (name === undefined) throw weightsError(path, 'is a zip file, but PyTorch did not write it', again);
    const folder = name.slice(0, -'data.pkl'.length);
    const records = new Map<string, ZipRecord>();
    for (const [each, entry] of entries) {
      if (!each.startsWith(folder)) continue;
      if (entry.compressionMethod !== 0 || entry.isEncrypted() || entry.compressedSize !== entry.uncompressedSize) {
        throw weightsError(path, `holds ${each} compressed, which PyTorch does not write`, again);
      }
      const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
      if (start + entry.uncompressedSize > fileBytes) throw weightsError(path, `is cut short in ${each}`);
      records.set(each.slice(folder.length), { start, bytes: entry.uncompressedSize });
    }
    const pickle = await readRecord(path, records.get('data.pkl') as ZipRecord);
    const order = records.get('byteorder');
    return { records, pickle, bigEndian: order !== undefined && (await readRecord(path, order)).toString() === 'big' };
  } catch (thrown) {
    if (thrown instanceof GradloomError) throw thrown;
    throw weightsError(path, `is a damaged zip file (${(thrown as Error).message})`, undefined, thrown);
  } finally {
    zip?.close();
  }
}

async function readRecord(path: string, { start, bytes }: ZipRecord): Promise<Buffer> {
  if (bytes > maxPickleBytes)
    throw weightsError(path, `has a pickle of ${bytes} bytes, more than a state_dict needs`, again);
  const chunks: Uint8Array[] = [];
  for await (const chunk of readRange(path, start, bytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The dict that holds the tensors: the whole, or what training scripts nest in their checkpoints. */
function stateDict(path: string, root: unknown): Map<string, TensorReference> {
  let dict = root;
  for (let depth = 0; depth <= maxNesting && dict instanceof Map; depth++) {
    const found = new Map<string, TensorReference>();
    for (const [key, value] of dict as PickleDict) {
      if (value instanceof TensorReference) found.set(String(key), value);
    }
    const inner = nestingKeys.map((key) => (dict as PickleDict).get(key)).find((value) => value instanceof Map);
    if (inner === undefined || found.size === dict.size) {
      if (found.size > 0) return found;
      break;
    }
    dict = inner;
  }
  throw weightsError(path, 'holds no state_dict: no tensors by name were found', again);
}

function openTensor(
  path: string,
  name: string,
  tensor: TensorReference,
  records: Map<string, ZipRecord>,
  swap: boolean,
): TensorSource {
  const { storage, shape, strides, offset } = tensor;
  const dtype = byStorage.get(storage.storageClass);
  const shown = JSON.stringify(name);
  if (dtype === undefined) {
    throw weightsError(
      path,
      `holds ${shown} as ${storage.storageClass}, which is not supported`,
      'Convert it to float32 first.',
    );
  }
  const record = records.get(`data/${storage.key}`);
  const size = elementTypes[dtype].bytes;
  if (!record || record.bytes < storage.elements * size) throw weightsError(path, `lacks the bytes of ${shown}`);
  const count = shape.reduce((product, dim) => product * dim, 1);
  const span = count === 0 ? 0 : shape.reduce((last, dim, axis) => last + (dim - 1) * (strides[axis] as number), 1);
  if (!Number.isSafeInteger(count * size) || offset + span > storage.elements) {
    throw weightsError(path, `is damaged: ${shown} reaches beyond its storage`);
  }
  const start = record.start + offset * size;
  const bytes = count * size;
  const plain = isContiguous(shape, strides) && !(swap && size > 1);
  return {
    name,
    dtype,
    shape,
    bytes,
    chunks: () => (plain ? readRange(path, start, bytes) : gather(path, start, span, size, shape, strides, swap)),
  };
}

function isContiguous(shape: number[], strides: number[]): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const dim = shape[axis] as number;
    if (dim === 0) return true;
    if (dim !== 1 && strides[axis] !== expected) return false;
    expected *= dim;
  }
  return true;
}

/** Reads the span that a strided view covers and yields its elements in row-major order. */
async function* gather(
  path: string,
  start: number,
  span: number,
  size: number,
  shape: number[],
  strides: number[],
  swap: boolean,
): AsyncGenerator<Uint8Array, void, void> {
  const source = Buffer.concat(await collect(readRange(path, start, span * size)));
  if (swap && size === 2) source.swap16();
  else if (swap && size === 4) source.swap32();
  else if (swap && size === 8) source.swap64();
  const count = shape.reduce((product, dim) => product * dim, 1);
  const position = shape.map(() => 0);
  const chunkElements = 65_536;
  let from = 0;
  for (let done = 0; done < count; ) {
    const out = Buffer.allocUnsafe(Math.min(chunkElements, count - done) * size);
    for (let at = 0; at < out.length; at += size, done++) {
      for (let byte = 0; byte < size; byte++) out[at + byte] = source[from * size + byte] as number;
      // One step in row-major order, like an odometer.
      for (let axis = shape.length - 1; axis >= 0; axis--) {
        from += strides[axis] as number;
        if (++(position[axis] as number) < (shape[axis] as number)) break;
        from -= (shape[axis] as number) * (strides[axis] as number);
        position[axis] = 0;
      }
    }
    yield out;
  }
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}
