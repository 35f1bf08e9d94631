/** Python classes that sequences need: pieces of source text, put together into the rows' definitions. */

/** Where masks of padding travel beside the tensors, as in the engine. */
export const masksPiece = `masks = {}  # which positions are padding, by the path of the layer that tells`;

/** What attention must not look at. */
export const unseenPiece = `def unseen(layer, x):
    """The positions after each one, for causal attention, and padding."""
    later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1) if layer.causal else None
    return later, masks.get(layer.mask)`;

/** The pieces of one definition, as Python files set them apart. */
export function definitionOf(...pieces: string[]): string {
  return `${pieces.join('\n\n\n')}\n`;
}

/** `, causal=True, mask="0"` for a call's end: what only our classes take, where it differs from nothing. */
export function maskWords({ causal = false, mask = null }: { [key: string]: unknown }): string {
  return `${causal ? ', causal=True' : ''}${mask === null ? '' : `, mask=${JSON.stringify(mask)}`}`;
}

/** A call with more words at its end. */
export function withWords(call: string, words: string): string {
  return call.endsWith('()') ? `${call.slice(0, -1)}${words.replace(/^, /, '')})` : `${call.slice(0, -1)}${words})`;
}
