/** Writes a plain state_dict in PyTorch's zip format: it loads with `weights_only=True` and `strict=True`. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { writeWhole } from '../files.ts';
import { pickleStateDict } from './pickle-write.ts';
import type { TensorSource } from './tensor-source.ts';

const folder = 'archive';
/** Stored, never deflated (PyTorch maps and reads records as they lie), with a fixed time: equal weights give equal files. */
const stored = { compress: false, mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** Writes the tensors under a temporary name, lets `check` look at the file, and renames it to `path`. */
export async function writePt<T>(
  path: string,
  tensors: TensorSource[],
  check?: (temporary: string) => Promise<T>,
): Promise<T | undefined> {
  const zip = new ZipFile();
  const content = zip.outputStream as Readable;
  zip.on('error', (thrown) => content.destroy(thrown));
  content.on('error', () => {}); // may come before anybody reads; the loop below then throws it
  zip.addBuffer(pickleStateDict(tensors), `${folder}/data.pkl`, stored);
  zip.addBuffer(Buffer.from('little'), `${folder}/byteorder`, stored);
  for (const [i, tensor] of tensors.entries()) {
    zip.addReadStreamLazy(`${folder}/data/${i}`, { ...stored, size: tensor.bytes }, (answer) => {
      const stream = Readable.from(tensor.chunks(), { objectMode: false });
      stream.on('error', (thrown) => content.destroy(thrown)); // yazl does not watch these streams
      answer(null, stream);
    });
  }
  zip.addBuffer(Buffer.from('3\n'), `${folder}/version`, stored);
  zip.end();
  const write = async (file: FileHandle) => {
    for await (const chunk of content) await file.writeFile(chunk as Buffer);
  };
  return writeWhole(path, write, check);
}
