/** Target arrays as NumPy's users store them, brought to what targets are here: N×1 to N, one-hot rows and whole floats to class indices. */
import type { DataNote } from '../../contract/data/inspect.ts';
import type { ArrayTarget } from '../../contract/sources/targets.ts';
import type { ArrayFile } from './array-file.ts';
import { once } from './targets.ts';
import { flat, isOneHot, oneHotIndices, wholeNumbers } from './views.ts';

/** How the targets of every part are seen, decided by the training part's. */
export async function asTargets(
  file: ArrayFile,
  wanted: ArrayTarget | null,
  notes: DataNote[],
): Promise<(each: ArrayFile) => ArrayFile> {
  if (wanted !== null && wanted !== 'class') return (each) => each;
  const single = file.dims.length === 2 && file.dims[1] === 1;
  const plain = single ? flat : (each: ArrayFile) => each;
  if (file.dims.length === 1 || single) {
    return wanted === 'class' && !file.type.whole ? (each) => wholeNumbers(plain(each)) : plain;
  }
  if (file.dims.length === 2 && (wanted === 'class' || (await once('one-hot', file, () => isOneHot(file))))) {
    if (wanted === null) {
      notes.push({
        message: `Each of the ${file.dims[1]} columns of the targets is a class: every row holds a single 1`,
      });
    }
    return oneHotIndices;
  }
  return plain;
}
