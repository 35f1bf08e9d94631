/** Small pieces of a stream gathered to larger ones: a row of a label is eight bytes, and each write costs the same. */

const gatherBytes = 256 * 1024;

/** The same bytes; what comes in large pieces is passed on as it is. */
export async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    if (bytes === 0 && piece.length >= gatherBytes) {
      yield piece;
      continue;
    }
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < gatherBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
