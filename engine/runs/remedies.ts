/** What usually helps against values that are not finite, for exactly what was found; as edits of the project where that can be. */
import type { Autopsy, Remedy } from '../contract/autopsy.ts';
import { fromNum } from '../contract/events.ts';
import { fieldInfo } from '../contract/fields.ts';
import { optimizers } from '../contract/optimizers.ts';
import type { Plan } from '../contract/plan.ts';
import { removeEdit, setEdit } from '../contract/report.ts';
import { settingOfRate } from '../contract/schedule-plan.ts';
import { short } from '../format.ts';

export interface Finding extends Omit<Autopsy, 'remedies' | 'message' | 'version' | 'time'> {
  /** Every target of the batch is a class that the loss ignores or gives the weight 0: its mean is 0 divided by 0. */
  allIgnored: boolean;
}

/** Best first. */
export function remediesFor(found: Finding, plan: Plan): Remedy[] {
  if (found.faulty.length > 0) return [faultyData(found)];
  if (found.phase === 'input') return [byTransforms(plan)];
  if (found.allIgnored) return [allIgnored(plan)];
  // Only fp16 ends early; and after a loss that rose over many steps a wider range merely lets it rise further.
  const overflow = found.precision === 'fp16' && lossRose(found) === null;
  return [
    ...logOfZero(found, plan),
    ...(overflow ? byPrecision(found) : []),
    ...lowerRate(found, plan),
    ...clipping(plan),
    ...warmUp(found, plan),
    ...zeroEpsilon(found, plan),
    ...largeInput(found),
    ...(overflow ? [] : byPrecision(found)),
  ];
}

function faultyData({ faulty, part }: Finding): Remedy {
  const [first] = faulty as [Finding['faulty'][number], ...Finding['faulty']];
  const others = faulty.length > 1 ? `, and ${faulty.length - 1} more in this batch` : '';
  return {
    label: `Mend or remove sample ${first.sample} of the ${part} part${others}`,
    why: `Its ${first.column === 'input' ? 'values are' : 'target is'} NaN or infinite in the data itself; no setting helps against that. A run keeps to its data: train a new one when it is mended.`,
    edits: [],
  };
}

function byTransforms(plan: Plan): Remedy {
  const last = plan.transforms.length - 1;
  const kinds = plan.transforms.map(({ kind }) => kind).join(', ');
  return {
    label: 'Look at the transforms',
    why: `The data is finite, so one of its transforms (${kinds || 'none'}) makes NaN or infinite values of it.`,
    edits: last === 0 ? [removeEdit(['data', 'transforms', 0])] : [],
  };
}

function allIgnored(plan: Plan): Remedy {
  const larger = 2 * plan.project.data.loader.batch_size;
  return {
    label: `Set batch_size to ${larger}`,
    why: 'Every target of this batch is one that the loss ignores or gives the weight 0, and the mean of nothing is NaN: larger batches make that rare.',
    edits: [setEdit(['data', 'loader', 'batch_size'], larger)],
  };
}

/** Losses of probabilities take a logarithm, which a probability of 0 or 1 makes infinite. */
function logOfZero({ phase }: Finding, plan: Plan): Remedy[] {
  if (phase !== 'loss' && phase !== 'backward') return [];
  const last = plan.layers.at(-1);
  const lossPlace = ['training', 'loss'];
  if (plan.loss.kind === 'BCELoss') {
    const sigmoid = last?.kind === 'Sigmoid' ? [removeEdit(placeOf(last.place))] : [];
    return [
      {
        label: `Use BCEWithLogitsLoss${sigmoid.length > 0 ? ' and remove the Sigmoid' : ''}`,
        why: 'The gradient of BCELoss is divided by the probability and by what it lacks to 1, and is huge near both ends; BCEWithLogitsLoss takes the scores and stays small.',
        edits: [...sigmoid, setEdit([...lossPlace, 'kind'], 'BCEWithLogitsLoss')],
      },
    ];
  }
  if (plan.loss.kind === 'PoissonNLLLoss' && plan.loss.args.log_input === false) {
    return [
      {
        label: 'Set log_input to true',
        why: 'With log_input false the loss takes the logarithm of what the network answers, which must not be negative; with true the answer is that logarithm.',
        edits: [setEdit([...lossPlace, 'log_input'], true)],
      },
    ];
  }
  if (plan.loss.kind === 'NLLLoss') {
    const layers = plan.project.model.layers.length;
    const needed = last?.kind !== 'LogSoftmax';
    return [
      {
        label: needed ? 'Use CrossEntropyLoss' : 'Use CrossEntropyLoss and remove the LogSoftmax',
        why: 'NLLLoss wants logarithms of probabilities; CrossEntropyLoss takes scores and computes them without ever taking the logarithm of 0.',
        edits: [
          ...(needed || layers === 0 || !last ? [] : [removeEdit(placeOf(last.place))]),
          setEdit([...lossPlace, 'kind'], 'CrossEntropyLoss'),
        ],
      },
    ];
  }
  return [];
}

function byPrecision({ precision, phase }: Finding): Remedy[] {
  if (precision === 'fp32' || phase === 'parameters') return [];
  const next = precision === 'fp16' ? 'bf16' : 'fp32';
  return [
    {
      label: `Set precision to ${next}`,
      why:
        precision === 'fp16'
          ? 'fp16 ends at 65,504: a larger value is infinite. bf16 reaches as far as fp32.'
          : 'bf16 keeps three digits: small differences and long sums may be lost in it.',
      edits: [setEdit(['training', 'precision'], next)],
    },
  ];
}

/** A tenth, as a person would write it. */
function lowerRate(found: Finding, plan: Plan): Remedy[] {
  const { path, lr: set } = settingOfRate(plan.project.training);
  if (typeof plan.optimizer.args.lr !== 'number' || set === 0) return [];
  const taken = rateTaken(found);
  // While the rate climbs it was too large already where it stood; below the tenth of that it has to stay.
  const from = taken !== null && taken > 0 && isClimbing(found) ? Math.min(set, taken) : set;
  const usual = usualRate(plan);
  const lower = Number((usual !== null && from > 100 * usual ? usual : from / 10).toPrecision(2));
  const ownPeak = path.at(-1) === 'max_lr';
  return [
    {
      label: ownPeak ? `Set the schedule's max_lr to ${lower}` : `Set the learning rate to ${lower}`,
      why: `${evidence(found, plan, taken ?? set)} A rate that is too large is the most frequent cause.${
        ownPeak ? ` The schedule climbs to its own max_lr (${set}), whatever the optimizer's lr is.` : ''
      }`,
      edits: [setEdit(path, lower)],
    },
  ];
}

/** At the step itself; after an epoch, at the last one before. */
function rateTaken({ lr, recent }: Finding): number | null {
  return lr ?? recent.lr.at(-1) ?? null;
}

function isClimbing(found: Finding): boolean {
  const [first, last] = [found.recent.lr[0], rateTaken(found)];
  return first !== undefined && last !== null && last > first;
}

function lossRose({ recent }: Finding): { first: number; last: number } | null {
  const losses = recent.loss.map(fromNum);
  const [first, last] = [losses[0], losses.at(-1)];
  return first !== undefined && last !== undefined && losses.length > 1 && last > 1.5 * first ? { first, last } : null;
}

function evidence(found: Finding, plan: Plan, lr: number): string {
  const { recent } = found;
  const rose = lossRose(found);
  if (rose) {
    return `The loss had risen from ${short(rose.first, 3)} to ${short(rose.last, 3)} over the last ${recent.loss.length} steps.`;
  }
  const norms = (recent.grad_norm ?? []).map(fromNum);
  const [early, late] = [norms[0], norms.at(-1)];
  if (early !== undefined && late !== undefined && norms.length > 1 && late > 3 * early) {
    return `The gradient's norm had grown from ${short(early, 3)} to ${short(late, 3)} over the last ${norms.length} steps.`;
  }
  const usual = usualRate(plan);
  if (usual !== null && lr >= 10 * usual) {
    return `${short(lr, 3)} is ${short(lr / usual, 3)} times what ${plan.optimizer.kind} usually takes.`;
  }
  return `The learning rate was ${short(lr, 3)}.`;
}

function usualRate({ optimizer }: Plan): number | null {
  const schema = optimizers.get(optimizer.kind)?.params.lr;
  const usual = schema && fieldInfo(schema).default;
  return typeof usual === 'number' && usual > 0 ? usual : null;
}

function clipping(plan: Plan): Remedy[] {
  const limit = plan.project.training.clip_grad_norm;
  if (limit === null) {
    return [
      {
        label: 'Clip the gradient to a norm of 1',
        why: 'One steep batch then cannot throw the weights far away.',
        edits: [setEdit(['training', 'clip_grad_norm'], 1)],
      },
    ];
  }
  return limit > 1
    ? [
        {
          label: 'Clip the gradient to a norm of 1',
          why: `The limit of ${limit} lets large steps pass.`,
          edits: [setEdit(['training', 'clip_grad_norm'], 1)],
        },
      ]
    : [];
}

/** In the first steps the optimizer knows nothing of the gradient's size. */
function warmUp({ step }: Finding, plan: Plan): Remedy[] {
  const { schedule } = plan.project.training;
  if (step > 200 || schedule === null || schedule.warmup !== null) return [];
  return [
    {
      label: 'Warm up over 200 steps',
      why: `It happened in step ${step}, while the optimizer still learns how large gradients are.`,
      edits: [setEdit(['training', 'schedule', 'warmup'], { steps: 200, start_factor: 0.01 })],
    },
  ];
}

function zeroEpsilon({ layer, place }: Finding, plan: Plan): Remedy[] {
  const args = layer === null ? undefined : findLayer(plan.model ?? [], layer)?.args;
  if (args?.eps !== 0 || place === null) return [];
  return [
    {
      label: 'Set eps to 1e-5',
      why: 'With an eps of 0 a variance of 0 is divided by.',
      edits: [setEdit([...placeOf(place), 'eps'], 1e-5)],
    },
  ];
}

const largeValue = 1e4;

function largeInput({ values, phase, layer }: Finding): Remedy[] {
  const most = Math.max(Math.abs(values?.min ?? 0), Math.abs(values?.max ?? 0));
  if (phase !== 'forward' || layer === null || most < largeValue) return [];
  return [
    {
      label: 'Add a normalisation layer before it',
      why: `The finite values of its output reach ${short(most, 3)}: BatchNorm or LayerNorm, or normalised inputs, keep them small.`,
      edits: [],
    },
  ];
}

function findLayer(layers: NonNullable<Plan['model']>, wanted: string): { args: Record<string, unknown> } | undefined {
  for (const layer of layers) {
    if (layer.path === wanted) return layer;
    const inside = findLayer(layer.children?.flatMap((child) => child.layers) ?? [], wanted);
    if (inside) return inside;
  }
  return undefined;
}

function placeOf(place: string): (string | number)[] {
  return place.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
