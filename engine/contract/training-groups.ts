/** Which parameters train and how: what layers say in `train`, handed down by blocks, and the groups that the optimizer makes of it. */
import { z } from 'zod';
import { field, flag } from './fields.ts';
import { readInit } from './inits.ts';
import type { NativeGroup } from './native.ts';
import { optimizers } from './optimizers.ts';
import type { PlannedTensor, TrainRule } from './plan-types.ts';
import type { Chosen } from './project-types.ts';
import { type JsonObject, type Place, type Report, removeEdit, setEdit } from './report.ts';

const ownValue = (label: string, help: string) =>
  field(z.number().min(0).nullable(), {
    label,
    help,
    control: 'number',
    expected: 'a number ≥ 0, or null for that of the optimizer',
    default: null,
    absent: "the optimizer's",
  });

/** What a layer's `train` may hold. A block's counts for the layers inside that do not say otherwise. */
export const trainFields = {
  freeze: flag({
    label: 'Freeze',
    help: 'Keeps the weights as they are. Running statistics (BatchNorm) go on following the data, as in PyTorch.',
    default: false,
  }),
  lr: ownValue(
    'Learning rate',
    "The layer's own base learning rate in place of the optimizer's; a schedule scales both.",
  ),
  weight_decay: ownValue('Weight decay', "The layer's own weight decay in place of the optimizer's."),
};

export const plainRule: TrainRule = { freeze: false, lr: null, weight_decay: null, init: null };

/** Reads a layer's `train` over what the block around it hands down. */
export function readTrain(train: unknown, place: Place, around: TrainRule, report: Report): TrainRule {
  if (train === undefined || train === null) return around;
  const at = [...place, 'train'];
  const given = report.object(train, at, 'train');
  report.unknownKeys(given, [...Object.keys(trainFields), 'init'], at);
  const { values } = report.fields(given, trainFields, at);
  return {
    freeze: typeof given.freeze === 'boolean' ? given.freeze : around.freeze,
    lr: values.lr ?? around.lr,
    weight_decay: values.weight_decay ?? around.weight_decay,
    init: readInit(given.init, [...at, 'init'], around.init, report),
  };
}

/** A layer that says something in `train`, with its own tensors and its children's. */
export interface TrainedLayer {
  place: Place;
  train: JsonObject;
  tensors: readonly PlannedTensor[];
}

/** Something must train, and what layers say of their training should change something. */
export function checkTrain(
  layers: readonly TrainedLayer[],
  tensors: readonly PlannedTensor[],
  optimizer: Chosen,
  report: Report,
): void {
  const parameters = tensors.filter(({ buffer }) => !buffer);
  if (parameters.length > 0 && parameters.every(({ rule }) => rule?.freeze)) {
    const places = layers
      .filter(({ train }) => train.freeze === true)
      .map(({ place }) => [...place, 'train', 'freeze']);
    report.error(
      'EMPTY_MODEL',
      ['model', 'layers'],
      'Every layer with weights is frozen: there is nothing to learn',
      'Let at least one layer train, such as the last.',
      [
        { label: 'Let the last frozen layer train', edits: [setEdit(places.at(-1) as Place, false)] },
        { label: 'Let all layers train', edits: places.map(removeEdit) },
      ],
    );
    return;
  }
  for (const { place, train, tensors: inside } of layers) {
    for (const key of Object.keys(trainFields)) {
      if (train[key] === undefined || train[key] === null || train[key] === false) continue;
      const at = [...place, 'train', key];
      const why = uselessness(key, inside, optimizer);
      if (why === null) continue;
      const fixes = [{ label: `Remove ${key}`, edits: [removeEdit(at)] }];
      report.warn('BAD_VALUE', at, `${key} has no effect here: ${why}`, 'Remove it.', fixes);
    }
  }
}

function uselessness(key: string, tensors: readonly PlannedTensor[], optimizer: Chosen): string | null {
  const parameters = tensors.filter(({ buffer }) => !buffer);
  if (parameters.length === 0) return 'the layer has no weights';
  if (key === 'freeze') return null;
  if (parameters.every(({ rule }) => rule?.freeze)) return 'its weights are frozen';
  if (key === 'weight_decay' && !('weight_decay' in optimizer.args)) return `${optimizer.kind} has no weight decay`;
  return null;
}

/**
 * Every trainable parameter in exactly one group, those with equal settings in the same; and the names of the frozen ones. Group 0 has the
 * optimizer's own learning rate and weight decay, and may be empty.
 */
export function trainingGroups(
  tensors: readonly PlannedTensor[],
  optimizer: Chosen,
  decayNormsAndBiases: boolean,
): { groups: NativeGroup[]; frozen: string[] } {
  const { lr, weight_decay = null } = optimizer.args as { lr: number; weight_decay?: number };
  const base = { part: '', lr, weight_decay };
  const row = optimizers.get(optimizer.kind);
  const groups = new Map<string, NativeGroup>();
  const groupOf = (settings: typeof base): NativeGroup => {
    const { part, ...values } = settings;
    const key = `${part} ${values.lr} ${values.weight_decay}`;
    const group = groups.get(key) ?? { tensors: [], ...values };
    groups.set(key, group);
    return group;
  };
  groupOf(base);
  const frozen: string[] = [];
  for (const { name, shape, buffer, rule = plainRule } of tensors) {
    if (buffer) continue;
    if (rule.freeze) {
      frozen.push(name);
      continue;
    }
    const own = row?.base?.(optimizer.args, shape) ?? base;
    const decays = own.weight_decay !== null;
    const decay = !decayNormsAndBiases && shape.length === 1 ? 0 : (rule.weight_decay ?? own.weight_decay);
    groupOf({ part: own.part, lr: rule.lr ?? own.lr, weight_decay: decays ? decay : null }).tensors.push(name);
  }
  return { groups: [...groups.values()], frozen };
}
