/** A project's settings read with every default filled in, and what is wrong with them. (The layers are plan-stack.ts's.) */
import { losses } from './losses.ts';
import { type ChosenMetric, standardMetrics } from './metrics.ts';
import { examineMetrics } from './metrics-read.ts';
import { examineMixing, mixingKeys } from './mixing.ts';
import { examineMonitor, monitorChoices } from './monitor.ts';
import { optimizers } from './optimizers.ts';
import { projectVersion } from './project-migrations.ts';
import type { Chosen, Project, ResolvedProject, ResolvedSource } from './project-types.ts';
import { isObject, type JsonObject, type Place, Report, setEdit, show } from './report.ts';
import { examineEarlyStopping, examineSchedule } from './schedule-read.ts';
import {
  checkpointFields,
  loaderFields,
  modelFields,
  nameField,
  notYetTraining,
  splitFields,
  trainingFields,
} from './settings.ts';
import { randomTarget, sources } from './sources.ts';
import { chooseRow, findRow } from './table.ts';
import type { DataFacts } from './tensors.ts';
import { examineEma, examineLossScale, examinePrecision } from './training-numbers.ts';
import { transforms } from './transforms.ts';
import { examineWeightsNames } from './weights-names.ts';

/**
 * The settings with defaults filled in. Defaults that depend on the data (metrics, the monitored value) take class targets where `facts`
 * is absent. Never throws: what is invalid has its default, and a problem in the plan.
 */
export function resolveProject(project: Project, facts: DataFacts | null = null): ResolvedProject {
  return examineSettings(project, facts, new Report());
}

/** The same, with every fault reported. */
export function examineSettings(project: unknown, facts: DataFacts | null, report: Report): ResolvedProject {
  const root = report.object(project, [], 'the project');
  report.unknownKeys(root, ['gradloom', 'name', 'data', 'model', 'training'], []);
  examineVersion(root, report);
  const { name } = report.fields(root, { name: nameField }, []).values;
  const data = examineData(report.object(root.data, ['data'], 'data'), facts, report);
  const target = facts?.target.kind ?? (data.source?.kind === 'random' ? randomTarget(data.source) : 'class');
  const model = report.object(root.model, ['model'], 'model');
  report.unknownKeys(model, ['layers', 'blocks', 'weights_names', ...Object.keys(modelFields)], ['model']);
  const { weights } = report.fields(model, modelFields, ['model']).values;
  const layers = model.layers === undefined ? [] : model.layers;
  if (!Array.isArray(layers)) {
    report.error(
      'BAD_VALUE',
      ['model', 'layers'],
      `Expected a list of layers but received ${show(layers)}`,
      'Write [ … ] there.',
    );
  }
  return {
    gradloom: projectVersion,
    name,
    data,
    model: {
      layers: Array.isArray(layers) ? layers : [],
      blocks: report.object(model.blocks, ['model', 'blocks'], 'blocks'),
      weights,
      weights_names: examineWeightsNames(model.weights_names, report),
    },
    training: examineTraining(
      report.object(root.training, ['training'], 'training'),
      standardMetrics(target),
      data.split.val !== 0,
      report,
    ),
  };
}

function examineVersion(root: JsonObject, report: Report): void {
  const version = root.gradloom;
  const fixes = [{ label: `Set it to ${projectVersion}`, edits: [setEdit(['gradloom'], projectVersion)] }];
  if (version === undefined) {
    const hint = `Add "gradloom": ${projectVersion}.`;
    report.warn('MISSING_VALUE', ['gradloom'], 'The project does not say its schema version', hint, fixes);
  } else if (version !== projectVersion) {
    const hint = `This version of Gradloom reads ${projectVersion}.`;
    report.error('BAD_VALUE', ['gradloom'], `There is no schema version ${show(version)}`, hint, fixes);
  }
}

function examineData(data: JsonObject, facts: DataFacts | null, report: Report): ResolvedProject['data'] {
  report.unknownKeys(data, ['source', 'split', 'transforms', 'loader'], ['data']);
  const section = <S extends Parameters<Report['fields']>[1]>(key: string, fields: S) => {
    const place = ['data', key];
    const value = report.object(data[key], place, key);
    report.unknownKeys(value, Object.keys(fields), place);
    return report.fields(value, fields, place).values;
  };
  const split = section('split', splitFields);
  const unsaid = !isObject(data.split) || data.split.val === undefined ? (true as const) : undefined;
  return {
    source: examineSource(data.source, report),
    split: unsaid
      ? { ...split, val: facts?.parts.val ? 'val' : (split.val ?? 0), ...(facts ? {} : { unsaid }) }
      : { ...split, val: split.val ?? 0 },
    transforms: examineTransforms(data.transforms, report),
    loader: section('loader', loaderFields),
  };
}

function examineSource(source: unknown, report: Report): ResolvedSource | null {
  const place = ['data', 'source'];
  if (source === undefined || source === null) {
    report.error('MISSING_VALUE', place, 'No data is chosen, so no shape is known', 'Choose a data source.');
    return null;
  }
  const found = findRow(source, sources, place, 'data source', report);
  if (!found) return null;
  report.unknownKeys(found.given, ['kind', ...Object.keys(found.row.params)], place);
  const { ok, values } = report.fields(found.given, found.row.params, place);
  return ok ? ({ kind: found.row.kind, ...values } as ResolvedSource) : null;
}

function examineTransforms(value: unknown, report: Report): Chosen[] {
  const place = ['data', 'transforms'];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    report.error('BAD_VALUE', place, `Expected a list of transforms but received ${show(value)}`, 'Write [ … ] there.');
    return [];
  }
  return value.flatMap(
    (item, index) => chooseRow(item, transforms, [...place, index], 'transform', report)?.chosen ?? [],
  );
}

function examineTraining(
  training: JsonObject,
  defaultMetrics: ChosenMetric[],
  validates: boolean,
  report: Report,
): ResolvedProject['training'] {
  const place = ['training'];
  const own = [
    'loss',
    'optimizer',
    'metrics',
    'schedule',
    'early_stopping',
    'checkpoint',
    'loss_scale',
    'ema',
    ...mixingKeys,
    ...notYetTraining.map(({ key }) => key),
  ];
  report.unknownKeys(training, [...Object.keys(trainingFields), ...own], place);
  const { values } = report.fields(training, trainingFields, place);
  examinePrecision(values.precision, values.device, place, report);
  for (const { key, what, neutral, isNeutral } of notYetTraining) {
    const value = training[key];
    if (value !== undefined && !isNeutral(value)) notSupported([...place, key], what, neutral, report);
  }
  const choose = (key: 'loss' | 'optimizer', table: Parameters<typeof chooseRow>[1], standard: string): Chosen => {
    const given = training[key] === undefined ? { kind: standard } : training[key];
    const made =
      chooseRow(given, table, [...place, key], key, report) ?? chooseRow({ kind: standard }, table, [], key, report);
    return (made as NonNullable<typeof made>).chosen;
  };
  const chosenMetrics = examineMetrics(training.metrics, defaultMetrics, report);
  const loss = choose('loss', losses, 'CrossEntropyLoss');
  const optimizer = choose('optimizer', optimizers, 'Adam');
  const choices = monitorChoices(chosenMetrics, validates);
  const checkpoint = examineCheckpoint(training.checkpoint, choices, report);
  const monitors = { choices, standard: checkpoint.monitor };
  return {
    ...values,
    loss_scale: examineLossScale(training, place, report),
    ema: examineEma(training, place, report),
    loss,
    optimizer,
    metrics: chosenMetrics,
    ...examineMixing(training, place, report),
    schedule: examineSchedule(training.schedule, optimizer, values.epochs, monitors, report),
    early_stopping: examineEarlyStopping(training.early_stopping, monitors, report),
    checkpoint,
  };
}

function notSupported(place: Place, what: string, neutral: unknown, report: Report): void {
  report.error(
    'NOT_SUPPORTED',
    place,
    `This version does not run ${what}`,
    `Set it to ${show(neutral)}, or update Gradloom.`,
    [{ label: `Set it to ${show(neutral)}`, edits: [setEdit(place, neutral)] }],
  );
}

function examineCheckpoint(
  value: unknown,
  choices: readonly string[],
  report: Report,
): ResolvedProject['training']['checkpoint'] {
  const place = ['training', 'checkpoint'];
  const given = report.object(value, place, 'checkpoint');
  report.unknownKeys(given, Object.keys(checkpointFields), place);
  const { monitor, ...values } = report.fields(given, checkpointFields, place).values;
  const what = ['the best checkpoint', 'chosen'] as const;
  const at = [...place, 'monitor'];
  return { ...values, monitor: examineMonitor(monitor, choices, choices[0] as string, at, what, report) };
}
