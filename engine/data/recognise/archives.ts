/** Archives, workbooks and pointers to files that are elsewhere are not read: a note says what to do. */
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
const lfsPointer = 'version https://git-lfs.github.com/spec/';
const headBytes = 512;
/** In a folder of many files nobody looks for archives. */
const mostLooked = 20;

/** Of a repository that was cloned without its large files. */
export async function pointerNotes({ files, kind, head }: Found): Promise<DataNote[]> {
  const pointers: string[] = [];
  for (const { path, name } of files.slice(0, mostLooked)) {
    if ((await head(path, headBytes)).toString('latin1').startsWith(lfsPointer)) pointers.push(name);
  }
  if (pointers.length === 0) return [];
  const what =
    kind === 'file'
      ? 'This is a pointer of Git LFS, not the file itself'
      : 'Files are pointers of Git LFS, not the files themselves';
  return [{ message: `${what}: fetch with git lfs pull`, names: pointers }];
}

export async function archiveNotes({ files, kind, head }: Found): Promise<DataNote[]> {
  const notes: DataNote[] = [];
  for (const { path, name } of files.slice(0, mostLooked)) {
    // NumPy's own container is a ZIP as well.
    if (/\.npz$/i.test(name)) continue;
    const start = (await head(path, headBytes)).toString('latin1');
    if (start.startsWith('PK') && /\.xls[xm]$/i.test(name)) {
      notes.push({
        message: `${kind === 'file' ? 'This' : name} is a workbook of Excel: save it as CSV`,
        names: [name],
      });
      continue;
    }
    const found = signatures.find(({ at, bytes }) => start.startsWith(bytes, at));
    if (found)
      notes.push({
        message: `${kind === 'file' ? 'This' : name} is ${found.name}: unpack it and choose the folder`,
        names: [name],
      });
  }
  return notes;
}
