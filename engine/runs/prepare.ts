/** From a project's text to what a session needs: read, edited, planned against its data, packed, split. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DataNote } from '../contract/data/inspect.ts';
import {
  type Choice,
  chooseDevice,
  choosePrecision,
  type PrecisionChoice,
  precisionsOn,
} from '../contract/device-choice.ts';
import { GradloomError } from '../contract/errors.ts';
import { nativeInits } from '../contract/inits.ts';
import type { Addon, NativeDevice, NativePlan } from '../contract/native.ts';
import { type Plan, planProject } from '../contract/plan.ts';
import type { Edit, Problem } from '../contract/problems.ts';
import { editProject, readProject, resolveProject } from '../contract/project.ts';
import { segmentStarts } from '../contract/recompute.ts';
import { isObject, type JsonObject } from '../contract/report.ts';
import { pathKeys } from '../contract/sources.ts';
import type { DataFacts } from '../contract/tensors.ts';
import type { Precision } from '../contract/training-numbers.ts';
import {
  describeSource,
  type Fitted,
  fits,
  fitTransforms,
  honourMarks,
  makeSplits,
  marksOfRun,
  packSource,
  type Splits,
  withFitted,
} from '../data/index.ts';
import { systemError } from '../files.ts';
import { SettingsFile } from '../settings.ts';
import { checkThreads, threadsHere } from '../threads.ts';
import { cacheDir } from '../workspace.ts';
import type { Environment } from './environment.ts';
import type { Advice } from './hold.ts';
import { weightsMeant } from './starting-weights.ts';
import type { TrainRequest } from './types.ts';

export interface PlannedRun {
  /** The project as run: edits made, paths absolute. */
  text: string;
  plan: Plan;
  warnings: Problem[];
}

/** The request's project with its edits. @throws GradloomError PROJECT_SYNTAX, PROJECT_NEWER, PROJECT_INVALID, BAD_CALL, FILE_NOT_FOUND */
export function readRequested(request: TrainRequest): { text: string; baseDir: string; label: string } {
  const { device, precision, epochs } = request;
  const own = { 'training.device': device, 'training.precision': precision, 'training.epochs': epochs };
  const settings = [...Object.entries(own).filter(([, value]) => value !== undefined), ...(request.set ?? [])];
  const label = request.projectFile ?? 'the project';
  if (request.projectText === undefined && !request.projectFile) {
    throw new GradloomError('BAD_CALL', 'No project was given');
  }
  // As a path it would be the folder that this process happens to stand in.
  if (request.run === '') throw new GradloomError('BAD_CALL', 'The run folder has an empty name');
  const written = request.projectText ?? readText(request.projectFile as string);
  const read = atFile(request.projectFile, () => readProject(written));
  refuseForeign(read.project, label, request.projectFile);
  const baseDir = request.projectFile
    ? path.dirname(path.resolve(request.projectFile))
    : (request.baseDir ?? process.cwd());
  // Without a single edit it is the plan that says what is wrong with it, among the rest.
  if (read.project === null && settings.length > 0) throw invalid(label, read.problems);
  let { text } = read;
  for (const [key, value] of settings) text = withSetting(text, key, value, label);
  return { text, baseDir, label };
}

const sections = ['gradloom', 'data', 'model', 'training'];

/** Some other program's JSON, such as package.json: as a project it would have a dozen problems, none of which is to be mended. */
function refuseForeign(project: unknown, label: string, file: string | undefined): void {
  if (!isObject(project) || Object.keys(project).length === 0) return;
  if (sections.some((key) => Object.hasOwn(project, key))) return;
  throw new GradloomError(
    'PROJECT_INVALID',
    `${label} is no project of Gradloom: it has none of ${sections.join(', ')}`,
    {
      hint: 'Give a *.gradloom.json file; the window makes one, from nothing or from a template.',
      ...(file === undefined ? {} : { path: file }),
    },
  );
}

/**
 * A key that somebody types on the command line is meant to have an effect: an unknown one is refused, where a file's is only warned of.
 * @throws GradloomError BAD_CALL
 */
export function refuseUnknownSettings(settings: TrainRequest['set'], warnings: readonly Problem[]): void {
  for (const [key] of settings ?? []) {
    const unknown = warnings.find(
      ({ code, path: place }) => code === 'UNKNOWN_KEY' && (key === place || key.startsWith(`${place}.`)),
    );
    if (!unknown) continue;
    throw new GradloomError('BAD_CALL', `There is no setting ${key}: ${unknown.message}`, {
      hint: unknown.hint,
      path: unknown.path,
    });
  }
}

function withSetting(text: string, key: string, value: unknown, label: string): string {
  try {
    return editProject(text, [set(key, value, readProject(text).project)]);
  } catch (thrown) {
    const error = GradloomError.from(thrown);
    throw GradloomError.fromInfo({
      hint: 'Look up in the project what it holds.',
      ...error.toInfo(),
      message: `${label}: ${error.message}`,
    });
  }
}

/** An edit from a dotted key path. Digits in it are places in lists, but keys where `project` has an object (blocks may be called `1`). */
export function set(key: string, value: unknown, project: unknown = null): Edit {
  let parent = project;
  const steps = key.split('.').map((part) => {
    const step = /^\d+$/.test(part) && !isObject(parent) ? Number(part) : part;
    parent = Object.entries(parent ?? {}).find(([name]) => name === part)?.[1];
    return step;
  });
  return { op: 'set', path: steps, value };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw systemError(thrown, file, 'read');
  }
}

/** Errors about a text gain the file's name. */
function atFile<T>(file: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const error = GradloomError.from(thrown);
    if (file === undefined || error.path !== undefined) throw error;
    throw GradloomError.fromInfo({ ...error.toInfo(), path: file });
  }
}

/**
 * The plan of a project against its data's own description, and why the data could not be read, if so. Never throws for what a person wrote.
 * `describe`: the service's, which asks a worker.
 */
export async function planWithData(
  text: string,
  baseDir: string,
  describe: typeof describeSource = describeSource,
): Promise<{ plan: Plan; problems: Problem[]; dataError: GradloomError | null }> {
  const read = readProject(text);
  const project = read.project ?? {};
  const { source } = resolveProject(project).data;
  let facts: DataFacts | null = null;
  let dataError: GradloomError | null = null;
  try {
    if (source) facts = await describe(source, baseDir, { split: resolveProject(project).data.split });
  } catch (thrown) {
    dataError = GradloomError.from(thrown);
  }
  const plan = planProject(project, facts);
  return { plan, problems: [...read.problems, ...plan.problems], dataError };
}

/** The data as a run has them: with the marks that it was begun with, whatever they are by now. */
export const describedFor =
  (run: string): typeof describeSource =>
  async (source, baseDir, context) => {
    const split = context?.split ?? resolveProject({}).data.split;
    return describeSource(source, baseDir, { split, marks: await marksOfRun(run) });
  };

/**
 * The plan of a project that is to be run, its paths made absolute. Creates nothing.
 * @throws GradloomError PROJECT_INVALID naming every error, DATA_*
 */
export async function planRun(
  given: { text: string; baseDir: string; label: string },
  describe: typeof describeSource = describeSource,
): Promise<PlannedRun> {
  const text = editProject(given.text, await absolutePaths(given.text, given.baseDir));
  const { plan, problems, dataError } = await planWithData(text, given.baseDir, describe);
  // That the data is not read is a problem of the plan too; why it could not be read says more.
  const unread = ({ code, path: place }: Problem) => code === 'MISSING_VALUE' && place === 'data.source';
  const errors = problems.filter((problem) => problem.severity === 'error' && !(dataError !== null && unread(problem)));
  if (errors.length > 0) throw invalid(given.label, errors);
  if (dataError !== null) throw dataError;
  if (!plan.model || !plan.splits) {
    throw new GradloomError('INTERNAL', 'The plan has neither a network nor an error');
  }
  return { text, plan, warnings: problems };
}

function invalid(label: string, errors: Problem[]): GradloomError {
  const [first] = errors as [Problem, ...Problem[]];
  const list = errors.map(({ path: place, message }) => `${place || 'project'}: ${message}`);
  const message =
    errors.length === 1
      ? `${label} cannot be trained: ${list[0]}`
      : `${label} cannot be trained, it has ${errors.length} problems:\n${list.map((line) => `  ${line}`).join('\n')}`;
  return new GradloomError('PROJECT_INVALID', message, { hint: first.hint, path: first.path });
}

/** A run folder can be copied, and its project is no longer beside the data: every path in it is made absolute. */
async function absolutePaths(text: string, baseDir: string): Promise<Edit[]> {
  const project = readProject(text).project as {
    data?: { source?: Record<string, unknown> };
    model?: { weights?: unknown };
  } | null;
  const source = project?.data?.source;
  const absolute = (key: string, value: unknown): Edit[] =>
    typeof value === 'string' && !path.isAbsolute(value) ? [set(key, path.resolve(baseDir, value))] : [];
  const weights = project?.model?.weights;
  return [
    ...pathKeys(String(source?.kind)).flatMap((key) => absolute(`data.source.${key}`, source?.[key])),
    ...(typeof weights === 'string' ? [set('model.weights', await weightsMeant(path.resolve(baseDir, weights)))] : []),
  ];
}

export interface Hardware {
  device: Choice;
  precision: PrecisionChoice;
  /** Where another precision would serve better, and the project alone could not tell. */
  advice: Advice[];
  /** Threads for ATen; fixed for the whole run, because sums depend on them. */
  threads: number;
}

/** @throws GradloomError DEVICE_UNKNOWN, DEVICE_UNAVAILABLE, BAD_CALL */
export function chooseHardware(plan: Plan, addon: Addon, threads?: number): Hardware {
  const { device, precision } = plan.project.training;
  const devices = addon.devices();
  const chosen = chooseDevice(device, devices);
  const found = devices.find(({ name }) => name === chosen.value) as NativeDevice;
  const number = choosePrecision(precision, found);
  const { note } = precisionsOn(found).find(({ value }) => value === number.value) ?? {};
  const told = plan.problems.some(({ code }) => code === 'SLOW_PRECISION');
  return {
    device: chosen,
    precision: number,
    advice: note === undefined || told ? [] : [{ code: 'SLOW_PRECISION', message: note, hint: 'Use fp32, or auto.' }],
    threads: threads === undefined ? addon.describe().cpu.threads : checkThreads(threads),
  };
}

/** For a run that has been on a device before: that one unless another is asked for, what `auto` took there, and as many threads. */
export function hardwareAgain(
  plan: Plan,
  before: Pick<Environment, 'device' | 'precision' | 'precision_reason' | 'threads'> | null,
  asked: string | undefined,
  addon: Addon,
): Hardware {
  const { project } = plan;
  const device = asked ?? before?.device ?? project.training.device;
  const training = { ...project.training, device };
  const chosen = chooseHardware({ ...plan, project: { ...project, training } }, addon, threadsAgain(before?.threads));
  if (!before || training.precision !== 'auto' || chosen.device.value !== before.device) return chosen;
  const { precision: value, precision_reason: reason } = before;
  return { ...chosen, precision: { value, ...(reason === undefined ? {} : { reason }) } };
}

/** A run of a machine with more cores goes on with as many as there can be here. */
const threadsAgain = (before: number | undefined) => before && Math.min(before, threadsHere());

/** What `nativePlan` needs of it. */
export const usedOf = ({ device, precision, threads }: Hardware) => ({
  device: device.value,
  precision: precision.value,
  threads,
});

export interface PreparedData {
  splits: Splits;
  parts: NativePlan['data']['parts'];
  facts: DataFacts;
  /** How a table's rows became numbers; null: nothing was fitted. */
  encoding: JsonObject | null;
  data_hash: string;
  split_hash: string;
  /** The numbers that Normalize has without any of its own. */
  fitted: Fitted[];
  /** What a person should know of it: marks that mean nothing. */
  notes: DataNote[];
}

/** Packs the data, if need be, and draws the splits; `splitFolder` is where their index files go. */
export async function prepareData(
  plan: Plan,
  addon: Addon,
  splitFolder: string,
  options: {
    signal?: AbortSignal | undefined;
    onProgress?: (done: number, total: number) => void;
    /** The folder of a run that keeps its marks. */
    run?: string | undefined;
    /** What an earlier start of the run measured. */
    fitted?: Fitted[] | undefined;
  } = {},
): Promise<PreparedData> {
  const { source, split } = plan.project.data;
  if (!source) throw new GradloomError('INTERNAL', 'A planned run has no data source');
  const { signal, onProgress } = options;
  const packed = await packSource(source, '/', {
    cacheDir: cacheDir(),
    addon,
    split,
    marks: options.run === undefined ? undefined : await marksOfRun(options.run),
    hold: true,
    mostBytes: await new SettingsFile().cacheBytes(),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress: ({ done, total }) => onProgress(done, total) } : {}),
  });
  const { pack, notes } = await honourMarks(packed, source, '/', split, { folder: splitFolder, run: options.run });
  const { splits, hash } = await makeSplits(pack, split, addon, splitFolder);
  const { parts, facts, encoding } = pack;
  const known = options.fitted && fits(plan.transforms, options.fitted) ? options.fitted : null;
  const fitted = known ?? (await fitTransforms(addon, plan.transforms, { parts, splits, facts }));
  return { splits, parts, facts, encoding, data_hash: pack.hash, split_hash: hash, fitted, notes };
}

export function adviceOnData({ notes }: PreparedData): Advice[] {
  return notes.map(({ message, names = [], count }) => {
    const more = (count ?? names.length) > 3 ? ' …' : '';
    const named = names.length > 0 ? `: ${names.slice(0, 3).join(', ')}${more}` : '';
    return { code: 'DATA_NOTE', message: `${message}${named}` };
  });
}

/** `hardware`: as chosen for a new run, or as an earlier one was run with. */
export function nativePlan(
  plan: Plan,
  data: PreparedData,
  { device, precision, threads }: { device: string; precision: Precision; threads: number },
): NativePlan {
  const { training, data: settings } = plan.project;
  return {
    seed: training.seed,
    deterministic: training.deterministic,
    device,
    threads,
    input: plan.input,
    model: plan.model ?? [],
    loss: plan.loss,
    optimizer: plan.optimizer,
    groups: plan.groups,
    frozen: plan.frozen,
    inits: nativeInits(plan.tensors),
    mixup: training.mixup,
    cutmix: training.cutmix,
    target: data.facts.target.kind,
    metrics: plan.metrics,
    accumulate: training.accumulate,
    clip_grad_norm: training.clip_grad_norm,
    clip_grad_value: training.clip_grad_value,
    precision,
    tf32: training.tf32,
    loss_scale: precision === 'fp16' ? training.loss_scale : null,
    activation_checkpointing: training.activation_checkpointing ? segmentStarts(plan.layers) : [],
    ema: training.ema,
    transforms: withFitted(plan.transforms, data.fitted),
    data: { parts: data.parts, splits: presentSplits(data.splits) },
    loader: { ...settings.loader, ...plan.cut },
  };
}

function presentSplits(splits: Splits): NativePlan['data']['splits'] {
  return Object.fromEntries(Object.entries(splits).filter(([, split]) => split !== undefined));
}
