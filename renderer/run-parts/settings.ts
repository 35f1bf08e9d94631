/** A run's settings as readable rows, what of them differs from the defaults, and what differs from run to run. Pure. */
import { fieldInfo } from '../../engine/contract/fields.ts';
import { losses } from '../../engine/contract/losses.ts';
import { mixingFields } from '../../engine/contract/mixing.ts';
import { optimizers } from '../../engine/contract/optimizers.ts';
import { type Chosen, readProject, resolveProject } from '../../engine/contract/project.ts';
import { schedules, warmupFields } from '../../engine/contract/schedules.ts';
import {
  checkpointFields,
  earlyStoppingFields,
  loaderFields,
  modelFields,
  splitFields,
  trainingFields,
} from '../../engine/contract/settings.ts';
import { sources } from '../../engine/contract/sources.ts';
import { emaFields, lossScaleFields } from '../../engine/contract/training-numbers.ts';
import { capital, dims, number } from '../ui/format.ts';
import { nameLabel } from './quantities.ts';

export interface SettingRow {
  group: 'Data' | 'Network' | 'Training' | 'Checkpoints';
  /** The place in the project file: `training.optimizer.lr`. */
  path: string;
  label: string;
  value: string;
  /** Whether it is what the project would have without being told. */
  isDefault: boolean;
}

type Shape = { [key: string]: object };
type Fields = { [key: string]: unknown };

function labelOf(shape: Shape | undefined, key: string): string {
  const schema = shape?.[key];
  return schema ? fieldInfo(schema).label : key;
}

/** A value as people read it; `null` is what an absent thing is. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : number(value, 6);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    const whole = value.every((each) => typeof each === 'number');
    return whole && value.length > 1 ? dims(value) : value.map(showValue).join(', ');
  }
  return JSON.stringify(value);
}

interface Maker {
  group: SettingRow['group'];
  place: string;
  shape?: Shape | undefined;
}

/** The fields of an object, each a row; the default's value beside the value decides which are told apart. */
function rowsOf(
  { group, place, shape }: Maker,
  values: Fields,
  defaults: Fields,
  leaveOut: string[] = [],
): SettingRow[] {
  return Object.entries(values)
    .filter(([key]) => !leaveOut.includes(key))
    .map(([key, value]) => ({
      group,
      path: `${place}.${key}`,
      label: labelOf(shape, key),
      value: showValue(value),
      isDefault: JSON.stringify(value) === JSON.stringify(defaults[key]),
    }));
}

/** A row of a table, and its parameters. */
function chosenRows(maker: Maker, label: string, { kind, args }: Chosen, standard: Chosen): SettingRow[] {
  const same = kind === standard.kind;
  const { group, place, shape } = maker;
  return [
    { group, path: place, label, value: kind, isDefault: same },
    ...rowsOf(maker, args, same ? standard.args : defaultsOf(shape)),
  ];
}

function defaultsOf(shape: Shape | undefined): Fields {
  return Object.fromEntries(
    Object.entries(shape ?? {}).flatMap(([key, schema]) => {
      const info = fieldInfo(schema);
      return 'default' in info ? [[key, info.default]] : [];
    }),
  );
}

/** `Linear(out_features=256)`: what is written of a layer, nested ones in brackets. */
export function layerText(layer: unknown): string {
  if (typeof layer !== 'object' || layer === null) return showValue(layer);
  const { kind, disabled, note: _note, name, ...rest } = layer as Fields;
  const parts = Object.entries(rest).map(([key, value]) => {
    if (Array.isArray(value) && value.some((each) => typeof each === 'object')) {
      return Array.isArray(value[0])
        ? `${key}=[${value.map((branch) => `[${(branch as unknown[]).map(layerText).join(', ')}]`).join(', ')}]`
        : `${key}=[${value.map(layerText).join(', ')}]`;
    }
    if (key === 'train' && typeof value === 'object' && value !== null) return `train(${trainText(value)})`;
    return `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
  });
  const title = typeof name === 'string' ? ` “${name}”` : '';
  return `${String(kind)}${parts.length > 0 ? `(${parts.join(', ')})` : ''}${title}${disabled === true ? ' (off)' : ''}`;
}

/** How a layer is trained: `freeze=true, lr=0.01`. */
function trainText(train: object): string {
  return Object.entries(train)
    .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}

/** Every setting of a project's text, in the order in which a person would tell them. @throws GradloomError of a text that is no project */
export function settingRows(text: string): SettingRow[] {
  const project = resolveProject(readProject(text).project ?? {});
  const standard = resolveProject({});
  const { data, model, training } = project;
  const source = data.source;
  const sourceShape = source === null ? undefined : sources.get(source.kind)?.params;
  return [
    ...(source === null
      ? []
      : [
          { group: 'Data' as const, path: 'data.source', label: 'Source', value: source.kind, isDefault: false },
          ...rowsOf(
            { group: 'Data', place: 'data.source', shape: sourceShape },
            { ...source },
            defaultsOf(sourceShape),
            ['kind'],
          ),
        ]),
    ...rowsOf(
      { group: 'Data', place: 'data.split', shape: splitFields },
      { ...data.split },
      { ...standard.data.split },
    ).map(
      // Both "Seed" and "Validation" are said of other things too.
      (row) => (row.path === 'data.split.seed' ? { ...row, label: 'Split seed' } : row),
    ),
    {
      group: 'Data',
      path: 'data.transforms',
      label: 'Transforms',
      value: data.transforms.length === 0 ? 'none' : data.transforms.map(transformText).join(', '),
      isDefault: data.transforms.length === 0,
    },
    ...rowsOf(
      { group: 'Data', place: 'data.loader', shape: loaderFields },
      { ...data.loader },
      { ...standard.data.loader },
    ),
    ...layerRows(model.layers, 'model.layers'),
    ...Object.entries(model.blocks).map(([name, block]) => ({
      group: 'Network' as const,
      path: `model.blocks.${name}`,
      label: `Block ${name}`,
      value: layerText({ kind: 'Block', ...(block as Fields) }),
      isDefault: false,
    })),
    ...rowsOf(
      { group: 'Network', place: 'model', shape: modelFields },
      { weights: model.weights },
      { weights: standard.model.weights },
    ),
    ...trainingRows(training, standard.training),
  ];
}

function transformText({ kind, args }: Chosen): string {
  const parts = Object.entries(args).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return parts.length === 0 ? kind : `${kind}(${parts.join(', ')})`;
}

function layerRows(layers: readonly unknown[], place: string): SettingRow[] {
  return layers.map((layer, index) => ({
    group: 'Network' as const,
    path: `${place}.${index}`,
    label: `Layer ${index}`, // as Build, messages and weights files count
    value: layerText(layer),
    isDefault: false,
  }));
}

type Training = ReturnType<typeof resolveProject>['training'];

/** Settings that are off or have fields of their own, by what a person calls them. */
const parts: { [key: string]: { label: string; shape?: Shape } } = {
  early_stopping: { label: 'Early stopping', shape: earlyStoppingFields },
  warmup: { label: 'Warm-up', shape: warmupFields },
  ema: { label: 'Averaged weights', shape: emaFields },
  mixup: { label: 'MixUp', shape: mixingFields.mixup },
  cutmix: { label: 'CutMix', shape: mixingFields.cutmix },
  loss_scale: { label: 'Loss scaling', shape: lossScaleFields },
};

function trainingRows(training: Training, standard: Training): SettingRow[] {
  const { loss, optimizer, schedule, metrics, checkpoint, ...rest } = training;
  const at = (key: string, shape: Shape | undefined): Maker => ({ group: 'Training', place: `training.${key}`, shape });
  const plain = Object.entries(rest).filter(([key]) => Object.hasOwn(trainingFields, key));
  const nested = Object.entries(rest).filter(([key]) => !Object.hasOwn(trainingFields, key));
  return [
    ...chosenRows(at('loss', losses.get(loss.kind)?.params), 'Loss', loss, standard.loss),
    ...chosenRows(at('optimizer', optimizers.get(optimizer.kind)?.params), 'Optimizer', optimizer, standard.optimizer),
    ...scheduleRows(schedule),
    {
      group: 'Training',
      path: 'training.metrics',
      label: 'Metrics',
      value: metrics.length === 0 ? 'none' : metrics.map(({ key }) => nameLabel(key)).join(', '),
      isDefault: JSON.stringify(metrics) === JSON.stringify(standard.metrics),
    },
    ...rowsOf({ group: 'Training', place: 'training', shape: trainingFields }, Object.fromEntries(plain), {
      ...standard,
    }),
    ...nested.flatMap(([key, value]) => partRows(`training.${key}`, key, value, standard[key as keyof Training])),
    ...rowsOf(
      { group: 'Checkpoints', place: 'training.checkpoint', shape: checkpointFields },
      { ...checkpoint },
      { ...standard.checkpoint },
    ),
  ];
}

function scheduleRows(schedule: Training['schedule']): SettingRow[] {
  const path = 'training.schedule';
  if (!schedule) return [{ group: 'Training', path, label: 'Schedule', value: 'none', isDefault: true }];
  const row = schedules.get(schedule.kind);
  const maker: Maker = { group: 'Training', place: path, shape: row?.params };
  return [
    // "Every" and "From" say nothing without what they are of.
    ...chosenRows(maker, 'Schedule', schedule, { kind: '', args: {} }).map((each) =>
      each.path === path ? each : { ...each, label: `Schedule: ${each.label.toLowerCase()}` },
    ),
    {
      group: 'Training',
      path: `${path}.unit`,
      label: 'Schedule: moves each',
      value: schedule.unit,
      isDefault: schedule.unit === row?.unit,
    },
    ...partRows(`${path}.warmup`, 'warmup', schedule.warmup, null),
  ];
}

/** Something that is off, or on with fields of its own; or that always has them. */
function partRows(path: string, key: string, value: unknown, standard: unknown): SettingRow[] {
  const { label = words(key), shape } = parts[key] ?? {};
  const optional = value === null || standard === null || standard === undefined;
  const head: SettingRow[] = optional
    ? [
        {
          group: 'Training',
          path,
          label,
          value: value === null ? 'off' : 'on',
          isDefault: value === (standard ?? null),
        },
      ]
    : [];
  if (typeof value !== 'object' || value === null) return head;
  const defaults = optional ? defaultsOf(shape) : (standard as Fields);
  const inner = rowsOf({ group: 'Training', place: path, shape }, { ...value }, defaults);
  return [...head, ...inner.map((row) => ({ ...row, label: `${label}: ${row.label.toLowerCase()}` }))];
}

function words(key: string): string {
  return capital(key.replaceAll('_', ' '));
}

export interface ComparedSetting {
  group: SettingRow['group'];
  path: string;
  label: string;
  /** One a run; null where a run does not have it. */
  values: (string | null)[];
  differs: boolean;
}

/** The settings of several runs side by side, in the order of the first that has each. */
export function compareSettings(runs: readonly (readonly SettingRow[])[]): ComparedSetting[] {
  const places = new Map<string, ComparedSetting>();
  for (const [index, rows] of runs.entries()) {
    let before: string | null = null;
    for (const { group, path, label, value } of rows) {
      let row = places.get(path);
      if (!row) {
        row = { group, path, label, values: runs.map(() => null), differs: false };
        insertAfter(places, before, row);
      }
      row.values[index] = value;
      before = path;
    }
  }
  const all = [...places.values()];
  for (const row of all) row.differs = new Set(row.values).size > 1;
  return all;
}

/** What a later run has besides stands behind what comes before it there, so that layers stay together. */
function insertAfter(places: Map<string, ComparedSetting>, before: string | null, row: ComparedSetting): void {
  const entries = [...places];
  const at = before === null ? 0 : entries.findIndex(([path]) => path === before) + 1;
  entries.splice(at, 0, [row.path, row]);
  places.clear();
  for (const [path, entry] of entries) places.set(path, entry);
}

/** Samples that one optimizer step sees. @throws GradloomError of a text that is no project */
export function samplesPerStep(text: string): number {
  const { data, training } = resolveProject(readProject(text).project ?? {});
  return data.loader.batch_size * training.accumulate;
}
