/** Weights files that must be refused, by what is wrong with them. */

export function safetensorsFile(header: unknown, data: Uint8Array | number, lengthField?: bigint): Buffer {
  const text =
    header instanceof Uint8Array ? header : Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(lengthField ?? BigInt(text.length));
  return Buffer.concat([length, text, typeof data === 'number' ? Buffer.alloc(data) : data]);
}

const file = safetensorsFile;
const bias = (data_offsets: unknown, more: object = {}) => ({
  '3.bias': { dtype: 'F32', shape: [5], data_offsets, ...more },
});
const two = (first: number[], second: number[], size = 2) => ({
  a: { dtype: 'U8', shape: [size], data_offsets: first },
  b: { dtype: 'U8', shape: [size], data_offsets: second },
});

export const malformedWeights: Record<string, Buffer> = {
  'an empty file': Buffer.alloc(0),
  'seven bytes': Buffer.alloc(7),
  'a header longer than the file': file('{}', 0, 1000n),
  'a header of 2^64 − 1 bytes': file('{}', 0, 2n ** 64n - 1n),
  'no header': file('', 0),
  'a header that is no JSON': file('{"a":', 0),
  'a header that is a list': file([], 0),
  'deep nesting': file('['.repeat(200_000), 0),
  'a name that is not UTF-8': file(Buffer.from('{"\xff":1}', 'latin1'), 0),
  'an entry that is no object': file({ a: 1 }, 0),
  'an entry without offsets': file({ a: { dtype: 'F32', shape: [1] } }, 4),
  'an unknown dtype': file(bias([0, 20], { dtype: 'F31' }), 20),
  'a dtype that is a number': file(bias([0, 20], { dtype: 32 }), 20),
  'a negative size': file(bias([0, 20], { shape: [-5] }), 20),
  'a fractional size': file(bias([0, 20], { shape: [2.5] }), 20),
  'sizes whose product overflows': file(bias([0, 20], { shape: [2 ** 53, 2 ** 53, 2 ** 53] }), 20),
  'a huge size times zero': file('{"a":{"dtype":"F32","shape":[18446744073709551615,0],"data_offsets":[0,0]}}', 0),
  'offsets beyond the file': file(bias([0, 24]), 20),
  'offsets the wrong way round': file(bias([20, 0]), 20),
  'negative offsets': file(bias([-20, 0]), 20),
  'offsets of another size than the shape': file(bias([0, 16]), 16),
  'three offsets': file(bias([0, 20, 20]), 20),
  'bytes that belong to nobody': file(bias([0, 20]), 24),
  'a gap': file(two([0, 2], [3, 5]), 5),
  'an overlap': file(two([0, 2], [1, 3]), 3),
};
