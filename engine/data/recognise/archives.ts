/** Archives are not read as they are: a note says what to do. */
import type { DataNote } from '../../contract/data/inspect.ts';
import type { Found } from './recogniser.ts';

/** Where what stands in the file, and what it is called. */
const signatures: readonly { at: number; bytes: string; name: string }[] = [
  { at: 0, bytes: 'PK\x03\x04', name: 'a ZIP archive' },
  { at: 0, bytes: 'PK\x05\x06', name: 'an empty ZIP archive' },
  { at: 257, bytes: 'ustar', name: 'a TAR archive' },
  { at: 0, bytes: '7z\xbc\xaf\x27\x1c', name: 'a 7-Zip archive' },
  { at: 0, bytes: 'Rar!\x1a\x07', name: 'a RAR archive' },
  { at: 0, bytes: '\xfd7zXZ\x00', name: 'an XZ file' },
  { at: 0, bytes: 'BZh', name: 'a BZip2 file' },
  { at: 0, bytes: '\x28\xb5\x2f\xfd', name: 'a Zstandard file' },
];
const headBytes = 512;
/** In a folder of many files nobody looks for archives. */
const mostLooked = 20;

export async function archiveNotes({ files, kind, head }: Found): Promise<DataNote[]> {
  const notes: DataNote[] = [];
  for (const { path, name } of files.slice(0, mostLooked)) {
    // NumPy's own container is a ZIP as well.
    if (/\.npz$/i.test(name)) continue;
    const start = (await head(path, headBytes)).toString('latin1');
    const found = signatures.find(({ at, bytes }) => start.startsWith(bytes, at));
    if (found)
      notes.push({
        message: `${kind === 'file' ? 'This' : name} is ${found.name}: unpack it and choose the folder`,
        names: [name],
      });
  }
  return notes;
}
