/** Arrays whose first dim is the fastest, brought into the order of samples block by block: memory stays bounded whatever their size. */
import type { ContentOptions } from '../content.ts';
import type { Elements } from './array-file.ts';
import { readExactly, withFile } from './row-reads.ts';

interface Place {
  path: string;
  /** Where the elements begin in the file. */
  dataAt: number;
  dims: readonly number[];
  elementBytes: number;
}

const blockBytes = 32 << 20;

/** For each element of a sample, the last dim fastest, the column of samples in which it lies. */
function columnsOf(dims: readonly number[]): Float64Array {
  const own = dims.slice(1);
  const columns = new Float64Array(own.reduce((product, dim) => product * dim, 1));
  for (let at = 0; at < columns.length; at++) {
    let rest = at;
    let column = 0;
    for (let axis = own.length - 1; axis >= 0; axis--) {
      const dim = own[axis] as number;
      const before = own.slice(0, axis).reduce((product, each) => product * each, 1);
      column += (rest % dim) * before;
      rest = Math.floor(rest / dim);
    }
    columns[at] = column;
  }
  return columns;
}

async function* blocks({ path, dataAt, dims, elementBytes }: Place, rows: [number, number][]): Elements {
  const columns = columnsOf(dims);
  const samples = dims[0] as number;
  const rowBytes = columns.length * elementBytes;
  for (const [first, count] of rows) {
    yield await withFile(path, async (file) => {
      const out = Buffer.allocUnsafe(count * rowBytes);
      for (let at = 0; at < columns.length; at++) {
        const from = dataAt + ((columns[at] as number) * samples + first) * elementBytes;
        const slice = await readExactly(file, count * elementBytes, from, path);
        for (let row = 0; row < count; row++) {
          slice.copy(out, row * rowBytes + at * elementBytes, row * elementBytes, (row + 1) * elementBytes);
        }
      }
      return out;
    });
  }
}

export async function* fortranElements(place: Place, { signal, onRead }: ContentOptions): Elements {
  const samples = place.dims[0] as number;
  const rowBytes = place.dims.slice(1).reduce((product, dim) => product * dim, place.elementBytes);
  const together = Math.max(1, Math.floor(blockBytes / rowBytes));
  for (let first = 0; first < samples; first += together) {
    signal?.throwIfAborted();
    const count = Math.min(together, samples - first);
    yield* blocks(place, [[first, count]]);
    onRead?.((first + count) * rowBytes);
  }
}

export async function fortranRows(place: Place, positions: readonly number[]): Promise<Buffer[]> {
  const rows: Buffer[] = [];
  for await (const row of blocks(
    place,
    positions.map((at) => [at, 1]),
  ))
    rows.push(row);
  return rows;
}
