/** Samples behind the transforms, and the numbers that Normalize takes from those that train: both by the code that trains. */
import { isDeepStrictEqual } from 'node:util';
import { type Addon, type NativePlan, neutral } from '../contract/native.ts';
import { planProject } from '../contract/plan.ts';
import type { Chosen } from '../contract/project-types.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { isUnfitted } from '../contract/transforms.ts';

/** What a Normalize without numbers was given: its place among the transforms, and numbers for each channel. */
export interface Fitted {
  index: number;
  /** The transforms before it as they were then: through others the numbers would be others. */
  behind?: Chosen[];
  mean: number[];
  std: number[];
}

/** A pack's parts and the split that trains. */
export interface FitData {
  parts: NativePlan['data']['parts'];
  splits: { train: NativePlan['data']['splits'][string] };
  facts: DataFacts;
}

/** Mean and deviation over every sample that trains, for each Normalize without them. @throws GradloomError DATA_* */
export async function fitTransforms(addon: Addon, transforms: readonly Chosen[], data: FitData): Promise<Fitted[]> {
  if (!transforms.some(isUnfitted)) return [];
  const { loss, optimizer, project } = planProject({}, null);
  const plan: NativePlan = {
    seed: 0,
    deterministic: false,
    device: 'cpu',
    threads: null,
    input: data.facts.input.dims,
    model: [],
    loss,
    optimizer,
    groups: [],
    frozen: [],
    target: data.facts.target.kind,
    metrics: [],
    ...neutral,
    transforms: [...transforms],
    data: { parts: data.parts, splits: { train: data.splits.train } },
    loader: project.data.loader,
  };
  const fitted = await addon.fitTransforms(JSON.stringify(plan));
  return fitted.map((each) => ({ ...each, behind: transforms.slice(0, each.index) }));
}

/** The transforms with those numbers in them. */
export function withFitted(transforms: readonly Chosen[], fitted: readonly Fitted[]): Chosen[] {
  return transforms.map((transform, index) => {
    const found = fitted.find((each) => each.index === index);
    if (!found || !isUnfitted(transform)) return transform;
    return { ...transform, args: { ...transform.args, mean: found.mean, std: found.std } };
  });
}

/** Whether these numbers are all that the transforms want: a project may have been edited since they were measured. */
export function fits(transforms: readonly Chosen[], fitted: readonly Fitted[]): boolean {
  const wanting = transforms.flatMap((transform, index) => (isUnfitted(transform) ? [index] : []));
  const alike = fitted.every(
    ({ index, behind }) => behind === undefined || isDeepStrictEqual(behind, transforms.slice(0, index)),
  );
  return String(wanting) === String(fitted.map(({ index }) => index)) && alike;
}

export interface TransformedSamples {
  dims: number[];
  samples: Float32Array[];
  masks: Float32Array[] | null;
}

/** The very tensors that the network receives: in training of an epoch, or, without one, in evaluation. */
export async function transformSamples(
  addon: Addon,
  given: {
    transforms: readonly Chosen[];
    dims: readonly number[];
    samples: readonly Float32Array[];
    /** Of each sample in its part. */
    indices: readonly number[];
    epoch: number | null;
    seed: number;
    masks?: { samples: readonly Float32Array[]; fill: number } | undefined;
  },
): Promise<TransformedSamples> {
  const { transforms, dims, samples, indices, epoch, seed, masks } = given;
  const request = { transforms, shape: dims, indices, epoch, seed, mask_fill: masks?.fill ?? 0 };
  const answer = await addon.transformSamples({
    request: JSON.stringify(request),
    values: joined(samples),
    masks: masks ? joined(masks.samples) : null,
  });
  return {
    dims: answer.dims,
    samples: parted(answer.values, samples.length),
    masks: answer.masks && parted(answer.masks, samples.length),
  };
}

function joined(samples: readonly Float32Array[]): Float32Array {
  const size = samples[0]?.length ?? 0;
  const all = new Float32Array(size * samples.length);
  for (const [i, values] of samples.entries()) all.set(values, i * size);
  return all;
}

function parted(values: Float32Array, count: number): Float32Array[] {
  const size = count === 0 ? 0 : values.length / count;
  return Array.from({ length: count }, (_, i) => values.subarray(i * size, (i + 1) * size));
}
