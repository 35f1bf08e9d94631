/** Windows that slide along sequences, over images and through volumes: what convolutions and poolings share. */
import { type Rank, type Span, sideNames } from '../fields.ts';
import type { Fix } from '../problems.ts';
import { type JsonObject, removeEdit, setEdit } from '../report.ts';
import { type Dims, fix, type LayerContext, showDims } from './kind.ts';

export interface Window {
  kernel_size: Span;
  stride: Span;
  padding: Span;
  dilation: Span;
  ceil_mode: boolean;
}

export const ranks = [1, 2, 3] as const;

/** Words for what has so many directions besides its channels. */
export const wordsOf = {
  1: { one: 'a sequence', many: 'sequences', sides: 'Length', letters: ['L'] },
  2: { one: 'an image', many: 'images', sides: 'Height and width', letters: ['H', 'W'] },
  3: { one: 'a volume', many: 'volumes', sides: 'Depth, height and width', letters: ['D', 'H', 'W'] },
} as const satisfies Record<Rank, unknown>;

/** `[C, H, W] → [out_channels, ⌊H / 2⌋, W likewise]`: how the first side's size follows, the others alike. */
export function shapeFormula(rank: Rank, channels: string, side: (letter: string) => string): string {
  const [first, ...others] = wordsOf[rank].letters;
  const likewise = others.length > 0 ? `, ${others.join(' and ')} likewise` : '';
  return `[C, ${[first, ...others].join(', ')}] → [${channels}, ${side(first)}${likewise}]`;
}

/** `kernel height · kernel width`: a window's values, as formulas of costs say it. */
export function windowValues(rank: Rank, name: 'kernel' | 'window'): string {
  return sideNames[rank].map((side) => `${name} ${side}`).join(' · ');
}

/** Of three values, for depth, height and width, those of this rank: for examples. */
export function inner<T>(rank: Rank, three: readonly [T, T, T]): T[] {
  return three.slice(-rank);
}

/** Reach of a kernel with its gaps. */
export function reach(kernel: number, dilation: number): number {
  return dilation * (kernel - 1) + 1;
}

/** A span as numbers side by side, so that each side is worked out alone. */
function sidesOf({ kernel_size, stride, padding, dilation, ceil_mode }: Window, size: Span) {
  return size.map((length, side) => ({
    length,
    kernel: kernel_size[side] as number,
    stride: stride[side] as number,
    padding: padding[side] as number,
    dilation: dilation[side] as number,
    ceil: ceil_mode,
  }));
}

type Side = ReturnType<typeof sidesOf>[number];

function outputSide({ length, kernel, stride, padding, dilation, ceil }: Side): number {
  const free = length + 2 * padding - reach(kernel, dilation);
  const steps = ceil ? Math.ceil(free / stride) : Math.floor(free / stride);
  // A last window that would begin in the padding after the input is left out, as in PyTorch.
  const overhangs = ceil && steps * stride >= length + padding;
  return steps + 1 - (overhangs ? 1 : 0);
}

/** The output's sides; null after reporting a window that does not fit. `widens`: more padding is a way out. */
export function windowOutput(
  kind: string,
  size: Span,
  window: Window,
  context: LayerContext,
  widens = false,
): Span | null {
  const sides = sidesOf(window, size);
  const output = sides.map(outputSide);
  const at = output.findIndex((length) => length < 1);
  const short = sides[at];
  if (!short) return output;
  const fitting = sides.map(({ length, kernel, padding, dilation }) =>
    Math.max(1, Math.min(kernel, Math.floor((length + 2 * padding - 1) / dilation) + 1)),
  );
  const fixes: Fix[] = [];
  if (widens || fitting.every((kernel, side) => (window.padding[side] as number) <= kernel / 2)) {
    fixes.push(context.set(`Set kernel_size to ${spanDigits(fitting)}`, { kernel_size: spanValue(fitting) }));
  }
  if (widens) {
    const wider = sides.map(({ length, kernel, padding, dilation }) =>
      Math.max(padding, Math.ceil((reach(kernel, dilation) - length) / 2)),
    );
    fixes.push(context.set(`Set padding to ${spanDigits(wider)}`, { padding: spanValue(wider) }));
  }
  fixes.push(fix(`Remove this ${kind}`, removeEdit(context.place)));
  return context.refuse(
    'EMPTY_OUTPUT',
    'kernel_size',
    `The window of ${kind} spans ${reach(short.kernel, short.dilation)} in ${sideNames[size.length as Rank][at]} but its input has only ${short.length}${
      short.padding > 0 ? ` and ${short.padding} of padding on each side` : ''
    }`,
    'Use a smaller window, more padding, or fewer layers that shrink the input.',
    fixes,
  );
}

/** PyTorch allows a pooling window's padding to be at most half the window. */
export function checkPoolPadding(kind: string, { kernel_size, padding }: Window, context: LayerContext): boolean {
  const most = kernel_size.map((each) => Math.floor(each / 2));
  if (padding.every((each, side) => each <= (most[side] as number))) return true;
  context.refuse(
    'BAD_VALUE',
    'padding',
    `The padding of ${kind} may be at most half its window: ${spanDigits(most)}, but it is ${spanDigits(padding)}`,
    'Lower the padding or widen the window.',
    [context.set(`Set padding to ${spanDigits(most)}`, { padding: spanValue(most) })],
  );
  return false;
}

/** As a person would write it: one number where all sides are alike. */
export function spanValue(span: Span): number | Span {
  return span.every((each) => each === span[0]) ? (span[0] as number) : span;
}

export function spanDigits(span: Span): string {
  return JSON.stringify(spanValue(span));
}

/**
 * What a kind of this rank receives: channels and its sides; null after reporting what was received instead. `given`: the layer's parameters,
 * for a fix that exchanges it for its family's kind that fits; null where there is no such family.
 */
export function channelDims(
  kind: string,
  rank: Rank,
  dims: Dims,
  given: JsonObject | null,
  context: LayerContext,
): { channels: number; size: Span } | null {
  const [channels, ...size] = dims;
  if (channels !== undefined && size.length === rank) return { channels, size };
  return wrongRank(kind, rank, dims, given, context);
}

/** The sides of what a pooling receives: with channels, or without (PyTorch takes both). */
export function planeDims(
  kind: string,
  rank: Rank,
  dims: Dims,
  given: JsonObject | null,
  context: LayerContext,
): { lead: number[]; size: Span } | null {
  const lead = dims.length - rank;
  if (lead === 0 || lead === 1) return { lead: dims.slice(0, lead), size: dims.slice(lead) };
  return wrongRank(kind, rank, dims, given, context);
}

function wrongRank(kind: string, rank: Rank, dims: Dims, given: JsonObject | null, context: LayerContext): null {
  const { before, place } = context;
  const flattened = before?.kind === 'Flatten';
  // BatchNorm1d takes vectors, too.
  const vectors = kind.startsWith('BatchNorm') && dims.length === 1;
  const other = vectors ? 1 : ranks.find((each) => each + 1 === dims.length);
  const fitting = given && other && `${kind.slice(0, -2)}${other}d`;
  return context.refuse(
    'WRONG_RANK',
    null,
    `${kind} wants ${wordsOf[rank].many} [channels, ${sideNames[rank].join(', ')}] but receives ${showDims(dims)}`,
    flattened ? 'Move it before Flatten.' : `Use it where the tensor still has ${countWord(rank + 1)} dimensions.`,
    [
      ...(flattened ? [fix('Remove the Flatten before it', removeEdit(before.place))] : []),
      ...(given && fitting
        ? [fix(`Use ${fitting}`, setEdit([...place, 'kind'], fitting), ...singleValues(rank, given, context))]
        : []),
      fix(`Remove this ${kind}`, removeEdit(place)),
    ],
  );
}

/** Lists that name every side do not fit another rank: one number does. */
function singleValues(rank: Rank, given: JsonObject, { place }: LayerContext) {
  return Object.entries(given).flatMap(([key, value]) =>
    Array.isArray(value) && value.length % rank === 0
      ? [setEdit([...place, key], value.find((each) => each !== null) ?? 1)]
      : [],
  );
}

function countWord(count: number): string {
  return ['two', 'three', 'four'][count - 2] ?? String(count);
}

/** An image's channels, height and width; null after reporting what was received instead. */
export function imageDims(kind: string, dims: Dims, context: LayerContext): [number, number, number] | null {
  const image = channelDims(kind, 2, dims, null, context);
  return image && [image.channels, image.size[0] as number, image.size[1] as number];
}

/** Whether such padding adds nothing. */
export function noBorder(padding: unknown): boolean {
  return padding === 'valid' || [padding].flat().every((side) => side === 0);
}
