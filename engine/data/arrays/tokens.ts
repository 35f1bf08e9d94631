/** An array of token sequences, one longer than what the network reads: all but the last are read, all but the first are predicted. */
import { GradloomError } from '../../contract/errors.ts';
import type { ContentOptions } from '../content.ts';
import type { ColumnType } from '../open-source.ts';
import { type ArrayFile, type Elements, readIndices, wholePieces } from './array-file.ts';
import { type ArrayTargets, highestLabel } from './targets.ts';

/** How the columns are read. */
export interface ArrayColumns {
  input: ColumnType;
  inputs(file: ArrayFile, options: ContentOptions): Elements;
  targets: ArrayTargets;
}

/** @throws GradloomError DATA_FORMAT when the file holds no sequences of tokens */
export function tokensOf(file: ArrayFile): ArrayColumns {
  const [, width = 0, ...more] = file.dims;
  if (!file.type.whole || more.length > 0 || width < 2) {
    const has = `${file.dims.join(' × ')} values of type ${file.type.name}`;
    throw new GradloomError('DATA_FORMAT', `${file.label} holds ${has}; next tokens need rows of two or more tokens.`, {
      hint: 'Write sequences of whole numbers, each with one token more than the network reads.',
      path: file.path,
    });
  }
  const length = width - 1;
  const column: ColumnType = { dtype: 'int64', shape: [length], scaled: false };
  const part = (from: number) => (each: ArrayFile, options: ContentOptions) =>
    cut(readIndices(each, options), tokenBytes * width, tokenBytes * from, tokenBytes * length);
  return {
    input: column,
    inputs: part(0),
    targets: {
      kind: 'next_token',
      column,
      async describe(parts) {
        const highest = await Promise.all(parts.map(([, each]) => highestLabel(each)));
        return { kind: 'next_token', dims: [length], tokens: Math.max(...highest) + 1 };
      },
      rows: part(1),
    },
  };
}

const tokenBytes = 8;

/** Of each row of a stream the bytes from `start` on. */
async function* cut(chunks: AsyncIterable<Buffer>, rowBytes: number, start: number, bytes: number): Elements {
  for await (const data of wholePieces(chunks, rowBytes)) {
    const count = data.length / rowBytes;
    const out = Buffer.allocUnsafe(count * bytes);
    for (let row = 0; row < count; row++) {
      data.copy(out, row * bytes, row * rowBytes + start, row * rowBytes + start + bytes);
    }
    yield out;
  }
}
