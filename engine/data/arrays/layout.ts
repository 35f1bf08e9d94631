/** Where the channels of images are, in arrays that do not say it. */
import type { DataNote } from '../../contract/data/inspect.ts';
import type { NpySource } from '../../contract/sources/arrays.ts';
import type { ArrayFile } from './array-file.ts';
import { channelsFirst } from './views.ts';

export type Layout = Exclude<NpySource['layout'], null | undefined>;

const channelCounts = [1, 3, 4];

/** The layout that the sizes suggest, and why. */
export function guessLayout(dims: readonly number[]): { layout: Layout; reason: string } | null {
  if (dims.length !== 4) return null;
  const [front, middle, back] = dims.slice(1) as [number, number, number];
  const sizes = dims.slice(1).join(' × ');
  const [first, last] = [channelCounts.includes(front), channelCounts.includes(back)];
  if (last && !first) return { layout: 'channels_last', reason: `of ${sizes} the last is a number of channels` };
  if (first && !last) return { layout: 'channels_first', reason: `of ${sizes} the first is a number of channels` };
  if (last && front === middle && middle !== back) {
    return { layout: 'channels_last', reason: `of ${sizes} the first two are equal, as sides are` };
  }
  const why = first ? 'the first and the last could be channels' : 'none is 1, 3 or 4';
  return { layout: 'channels_first', reason: `of ${sizes} ${why}: taken as PyTorch orders them` };
}

export function layoutNote({ layout, reason }: { layout: Layout; reason: string }): DataNote {
  const words = layout === 'channels_last' ? 'height, width, channels' : 'channels, height, width';
  return { message: `Each sample is read as ${words}: ${reason}` };
}

export function inLayout(file: ArrayFile, layout: Layout): ArrayFile {
  return layout === 'channels_last' && file.dims.length === 4 ? channelsFirst(file) : file;
}
