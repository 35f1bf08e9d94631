/** A fingerprint of a sample's bytes: 85 bits, so that among ten million samples two different ones are never taken for equal. */

export interface Fingerprint {
  /** 53 bits: a whole number that a float64 holds. */
  key: number;
  /** 32 bits more. */
  check: number;
}

let padded = new Uint32Array(0);

export function fingerprint(bytes: Uint8Array): Fingerprint {
  const words = wordsOf(bytes);
  let [a, b, c] = [0x9e3779b9, 0x85ebca6b ^ bytes.length, 0xc2b2ae35];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    a = Math.imul(a ^ word, 0xcc9e2d51);
    a ^= a >>> 15;
    b = Math.imul(b + word, 0x1b873593) ^ a;
    b = (b << 13) | (b >>> 19);
    c = Math.imul(c ^ b ^ word, 0xe6546b65);
    c ^= c >>> 16;
  }
  a = mixed(a ^ c);
  b = mixed(b ^ a);
  c = mixed(c ^ b);
  return { key: (a >>> 11) * 0x1_0000_0000 + (b >>> 0), check: c >>> 0 };
}

/** The bytes as words, wherever they lie; what is missing of the last one is zeros. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const count = bytes.length >> 2;
  if (bytes.byteOffset % 4 === 0 && bytes.length % 4 === 0)
    return new Uint32Array(bytes.buffer, bytes.byteOffset, count);
  const wanted = Math.ceil(bytes.length / 4);
  if (padded.length !== wanted) padded = new Uint32Array(wanted);
  padded[wanted - 1] = 0;
  new Uint8Array(padded.buffer).set(bytes);
  return padded;
}

function mixed(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
