/** Images made larger or smaller. */
import { asSpan, span } from '../fields.ts';
import { argsRow } from '../table.ts';
import { antialias, asList, range, sameSize, scaling, type TransformKind } from './kind.ts';

/** [height, width] of an image whose shorter side gets `size`, or what names both; torchvision's rounding. */
export function resizedDims(size: readonly number[], height: number, width: number): [number, number] {
  if (size.length === 2) return [size[0] as number, size[1] as number];
  const short = size[0] as number;
  const long = Math.trunc((short * Math.max(height, width)) / Math.min(height, width));
  return width <= height ? [long, short] : [short, long];
}

export const sizeTransforms: readonly TransformKind[] = [
  {
    ...argsRow({
      kind: 'Resize',
      label: 'Makes images larger or smaller',
      help: 'Makes images larger or smaller.',
      params: {
        size: span(2, {
          label: 'Size',
          help: 'One number is the shorter side, the other side follows; two are height and width.',
        }),
        interpolation: scaling(),
        antialias,
      },
      args: ({ size, interpolation, antialias }) => ({ size: asList(size), interpolation, antialias }),
    }),
    beginning: sameSize,
    random: false,
    perChannel: [],
    masks: 'move',
    moves: ({ size }, [channels = 1, height = 1, width = 1]) => ({
      dims: [channels, ...resizedDims(size as number[], height, width)],
    }),
  },
  {
    ...argsRow({
      kind: 'RandomResizedCrop',
      label: 'Cuts a window and resizes it',
      help: 'Cuts a window of random size and shape and brings it to one size. Outside of training the image’s shorter side becomes 256/224 of the size and the window is in the middle.',
      params: {
        size: span(2, { label: 'Size', help: 'What the network then sees.' }),
        scale: range(
          'Scale',
          'Share of the image’s area that the window covers: [least, most].',
          { above: 0 },
          [0.08, 1],
        ),
        ratio: range('Ratio', 'Of the window’s width to its height: [least, most].', { above: 0 }, [3 / 4, 4 / 3]),
        interpolation: scaling(),
        antialias,
      },
      args: ({ size, scale, ratio, interpolation, antialias }) => ({
        size: asSpan(size, 2),
        scale,
        ratio,
        interpolation,
        antialias,
      }),
    }),
    beginning: sameSize,
    random: true,
    perChannel: [],
    masks: 'move',
    moves: ({ size }, [channels = 1]) => ({ dims: [channels, ...(size as number[])] }),
  },
];
