/** The table of transforms: applied to each input sample, in order, after scaling to floats (images: 0–1); torchvision v2's names. */
import type { Chosen } from './project-types.ts';
import { type Place, type Report, removeEdit, setEdit } from './report.ts';
import { tableOf } from './table.ts';
import type { DataFacts, TargetType } from './tensors.ts';
import { colourTransforms } from './transforms/colours.ts';
import { erasingTransforms } from './transforms/erasing.ts';
import type { TransformKind } from './transforms/kind.ts';
import { moveTransforms } from './transforms/moves.ts';
import { policyTransforms } from './transforms/policies.ts';
import { sizeTransforms } from './transforms/sizes.ts';
import { turnTransforms } from './transforms/turns.ts';
import { valueTransforms } from './transforms/values.ts';

export type { TransformKind } from './transforms/kind.ts';

export const transformKinds: readonly TransformKind[] = [
  ...valueTransforms,
  ...sizeTransforms,
  ...moveTransforms,
  ...turnTransforms,
  ...colourTransforms,
  ...erasingTransforms,
  ...policyTransforms,
];

export const transforms = tableOf(transformKinds);

/** Numbers that Normalize takes from the samples that train, at the start of the run. */
export const isUnfitted = ({ kind, args }: Chosen) => kind === 'Normalize' && args.mean === null;

/** Dims of a sample after the transforms; those that cannot be applied leave them as they are. */
export function dimsAfter(chosen: readonly Chosen[], dims: readonly number[]): number[] {
  return chosen.reduce(
    (now, { kind, args }) => {
      const moved = now.length === 3 ? transforms.get(kind)?.moves?.(args, now) : undefined;
      return moved && 'dims' in moved ? moved.dims : now;
    },
    [...dims],
  );
}

/** The data as the network sees them. A mask that lies over the image goes where the image goes. */
export function factsAfter(chosen: readonly Chosen[], facts: DataFacts): DataFacts {
  const dims = dimsAfter(chosen, facts.input.dims);
  return { ...facts, input: { ...facts.input, dims }, target: targetAfter(facts, dims) };
}

function targetAfter({ input, target }: DataFacts, dims: readonly number[]): TargetType {
  return target.kind === 'mask' && liesOver(target.dims, input.dims) ? { ...target, dims: dims.slice(1) } : target;
}

const liesOver = (mask: readonly number[], image: readonly number[]) =>
  mask.length === 2 && image.length === 3 && mask[0] === image[1] && mask[1] === image[2];

/** What is for images needs such, must fit them, and takes along a target that lies over them. */
export function checkMoves(
  { kind, args }: Chosen,
  dims: readonly number[],
  { input, target }: DataFacts,
  place: Place,
  report: Report,
): void {
  const row = transforms.get(kind);
  if (!row?.moves) return;
  const remove = [{ label: `Remove ${kind}`, edits: [removeEdit(place)] }];
  if (dims.length !== 3) {
    const message = `${kind} is for images, but the samples [${dims.join(', ')}] are none`;
    report.error('WRONG_RANK', place, message, 'Remove it.', remove);
    return;
  }
  if (target.kind === 'mask' && row.masks === 'left') {
    const message = `${kind} would move the image and leave its mask where it is`;
    report.error('TARGET_MISMATCH', place, message, 'Use RandomAffine and ColorJitter, or remove it.', remove);
  } else if (target.kind === 'mask' && row.masks === 'move' && !liesOver(target.dims, input.dims)) {
    const message = `${kind} cannot move the masks of ${target.dims.join('×')} along, which do not lie over the images of ${input.dims.slice(1).join('×')}`;
    report.error('TARGET_MISMATCH', place, message, 'Remove it.', remove);
  }
  const moved = row.moves(args, dims);
  if ('dims' in moved) return;
  const { key, wrong, fix } = moved;
  const at = key === 'kind' ? place : [...place, key];
  const fixes = fix ? [{ label: fix.label, edits: [setEdit([...place, fix.key], fix.value)] }] : remove;
  report.error('BAD_VALUE', at, `${kind} does not fit: ${wrong}`, fix ? 'Choose one that fits.' : 'Remove it.', fixes);
}

/** What wants values of 0–1 behind what has made others of them. */
export function checkUnit(chosen: readonly Chosen[], index: number, place: Place, report: Report): void {
  const { kind } = chosen[index] as Chosen;
  if (!transforms.get(kind)?.unit) return;
  const before = chosen.slice(0, index).findIndex((each) => each.kind === 'Normalize');
  if (before < 0) return;
  report.warn(
    'BAD_VALUE',
    [...place, index],
    `${kind} keeps values in 0–1, but Normalize before it has made others of them`,
    'Move Normalize behind it.',
  );
}
