/** Answers looks inside a network, in a worker: opens what is asked for, and keeps the last sessions, so that the next layer or sample is quick. */
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { GradloomError } from '../contract/errors.ts';
import { integer } from '../contract/format.ts';
import { nativeInits } from '../contract/inits.ts';
import { type Look, type LookOptions, partWords, thinning } from '../contract/look.ts';
import { type NativePlan, type NativeSession, neutral } from '../contract/native.ts';
import { type Plan, planProject } from '../contract/plan.ts';
import type { PlannedTensor } from '../contract/plan-types.ts';
import type { Problem } from '../contract/problems.ts';
import type { Chosen } from '../contract/project-types.ts';
import { describeWeights } from '../contract/weights.ts';
import {
  type DataPack,
  type Fitted,
  fitTransforms,
  honourMarks,
  makeSplits,
  packSource,
  type Splits,
  withFitted,
} from '../data/index.ts';
import { toSafetensors } from '../export/weights.ts';
import { loadAddon } from '../native/load.ts';
import type { StartedFrom } from '../runs/folder.ts';
import { chooseHardware, planWithData, readRequested, refuseUnknownSettings } from '../runs/prepare.ts';
import { checkWeights, namesFor, withStartingWeights } from '../runs/starting-weights.ts';
import type { TrainRequest } from '../runs/types.ts';
import { cacheDir } from '../workspace.ts';
import { lookedLayers, placesOf } from './answer.ts';
import { freeOn, refuseTooLarge } from './memory.ts';

/** Two networks side by side: with random weights and with trained ones, before an edit and behind it. */
const kept = 2;
/** So long the data is taken to be as it was. */
const freshMs = 15_000;

interface OpenedNetwork {
  key: string;
  session: NativeSession;
  weights: Look['weights'];
}

type Read = ReturnType<typeof readRequested>;

interface Prepared {
  key: string;
  at: number;
  read: Read;
  plan: Plan;
  problems: readonly Problem[];
  pack: DataPack;
  splits: Splits;
  native: NativePlan;
  nativeKey: string;
  places: ReturnType<typeof placesOf>;
}

interface Data {
  key: string;
  pack: DataPack;
  splits: Splits;
  /** By the transforms that they belong to. */
  fitted: { of: string; numbers: Fitted[] } | null;
}

export class Looker {
  readonly #folder: string;
  readonly #opened: OpenedNetwork[] = [];
  #data: Data | null = null;
  #prepared: Prepared | null = null;

  /** `folder`: for split indices and converted weights. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws GradloomError PROJECT_*, DATA_*, DEVICE_*, WEIGHTS_*, RUN_NOT_FOUND, CHECKPOINT_*, BAD_CALL, OUT_OF_MEMORY, CANCELLED */
  async look(request: TrainRequest, options: LookOptions, signal: AbortSignal): Promise<Look> {
    const began = performance.now();
    const prepared = await this.#prepare(request, signal);
    const { plan, problems, pack, splits, native, places } = prepared;
    const split = splits[options.part];
    if (!split) throw noPart(options.part);
    if (options.index >= split.count) {
      throw new GradloomError(
        'BAD_CALL',
        `The ${partWords[options.part]} part has no sample ${integer(options.index)}`,
        { hint: `It has ${integer(split.count)}, counted from 0.` },
      );
    }
    const { session, weights } = await this.#open(prepared, options.weights);
    if (signal.aborted) throw new GradloomError('CANCELLED', 'It was cancelled');
    const seen = await session.look({
      split: options.part,
      index: options.index,
      statistics: options.statistics,
      values: options.layers.flatMap((path) => {
        const place = places.get(path);
        return place ? [{ path: place.from, steps: thinning(place.dims, options.most) }] : [];
      }),
    });
    const { target } = pack.facts;
    const classes = 'classes' in target ? target.classes : [];
    return {
      sample: {
        part: options.part,
        index: options.index,
        samples: split.count,
        target: seen.target,
        label: seen.target === null ? null : (classes[seen.target] ?? null),
      },
      weights,
      layers: lookedLayers(plan, pack.facts, seen, places, options),
      stopped: stopOf(plan, problems),
      device: native.device,
      seconds: (performance.now() - began) / 1000,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map(({ session }) => session.close()));
  }

  /** What depends on the project and its data alone; read anew after a while, since the data may change. */
  async #prepare(request: TrainRequest, signal: AbortSignal): Promise<Prepared> {
    const key = JSON.stringify(request);
    const known = this.#prepared;
    if (known?.key === key && performance.now() - known.at < freshMs) return known;
    this.#prepared = null;
    const read = readRequested(request);
    const { plan, problems, dataError } = await planWithData(read.text, read.baseDir);
    refuseUnknownSettings(request.set, problems);
    refuseBefore(plan, problems, dataError);
    const data = await this.#dataOf(plan, read.baseDir, signal);
    const { key: dataKey, pack, splits } = data;
    const native = nativePlanOf(plan, pack, splits, await this.#fit(plan, data), request);
    const nativeKey = JSON.stringify([dataKey, native]);
    const places = placesOf(plan);
    const at = performance.now();
    this.#prepared = { key, at, read, plan, problems, pack, splits, native, nativeKey, places };
    return this.#prepared;
  }

  async #dataOf(plan: Plan, baseDir: string, signal: AbortSignal): Promise<Data> {
    const { source, split } = plan.project.data;
    if (!source) throw new GradloomError('INTERNAL', 'A planned network has no data source');
    const addon = loadAddon();
    const packed = await packSource(source, baseDir, { cacheDir: cacheDir(), addon, split, signal, hold: true });
    const { pack } = await honourMarks(packed, source, baseDir, split, { folder: this.#folder });
    const key = JSON.stringify([pack.hash, pack.folder, pack.excluded, split]);
    if (this.#data?.key !== key) {
      // Sessions hold the indices they have read; a new split's files may take the place of theirs.
      const { splits } = await makeSplits(pack, split, addon, this.#folder);
      this.#data = { key, pack, splits, fitted: null };
    }
    this.#data.pack = pack;
    return this.#data;
  }

  /** The transforms, with the numbers of this data where they have none of their own. */
  async #fit({ transforms }: Plan, data: Data): Promise<Chosen[]> {
    const of = JSON.stringify(transforms);
    if (data.fitted?.of !== of) {
      const { pack, splits } = data;
      const { parts, facts } = pack;
      data.fitted = { of, numbers: await fitTransforms(loadAddon(), transforms, { parts, splits, facts }) };
    }
    return withFitted(transforms, data.fitted.numbers);
  }

  async #open({ native, nativeKey, plan, read }: Prepared, asked: LookOptions['weights']): Promise<OpenedNetwork> {
    const from = await this.#weightsOf(read, plan, asked);
    const key = JSON.stringify([nativeKey, from, from && statSync(from.file).mtimeMs]);
    const there = this.#opened.find((each) => each.key === key);
    if (there) {
      this.#opened.splice(this.#opened.indexOf(there), 1);
      this.#opened.unshift(there);
      return there;
    }
    while (this.#opened.length >= kept) await this.#opened.pop()?.session.close();
    const addon = loadAddon();
    const looked = { layers: plan.layers, tensors: tensorsOf(plan) };
    try {
      refuseTooLarge(looked, freeOn(native.device, addon));
    } catch (thrown) {
      if (this.#opened.length === 0) throw thrown;
      await this.close(); // what the networks before hold may be enough
      refuseTooLarge(looked, freeOn(native.device, addon));
    }
    const session = await addon.createSession(JSON.stringify(native));
    try {
      const weights = from
        ? await loaded(session, plan, from, this.#folder)
        : { message: `Random weights of seed ${native.seed}`, missing: [] };
      const opened = { key, session, weights };
      this.#opened.unshift(opened);
      return opened;
    } catch (thrown) {
      await session.close();
      throw thrown;
    }
  }

  /** The file that is meant; null: none. */
  async #weightsOf(read: Read, plan: Plan, asked: LookOptions['weights']): Promise<StartedFrom | null> {
    if (asked.kind === 'init') return null;
    const { weights, checkpoint } = asked.kind === 'from' ? asked : {};
    const { from } = await withStartingWeights(read, {
      ...(weights === undefined ? {} : { weights }),
      ...(checkpoint === undefined ? {} : { checkpoint }),
    });
    if (!from) {
      throw new GradloomError('BAD_CALL', 'The project names no weights to start from', {
        hint: 'Look with random weights or a run’s, or set model.weights.',
        path: 'model.weights',
      });
    }
    try {
      await checkWeights(plan, from);
    } catch (thrown) {
      const error = GradloomError.from(thrown);
      if (error.code !== 'WEIGHTS_MISMATCH' || from.run === null) throw error;
      throw new GradloomError(
        'WEIGHTS_MISMATCH',
        `None of the weights of ${path.basename(from.run)} has a place in this network: it was trained with another one`,
        {
          hint: 'Take a run of this network, or random weights. Layers that were added before others move their names.',
        },
      );
    }
    return from;
  }
}

async function loaded(session: NativeSession, plan: Plan, from: StartedFrom, folder: string): Promise<Look['weights']> {
  const file = await toSafetensors(from.file, folder, namesFor(plan, from));
  try {
    const report = await session.loadWeights(file);
    const source = from.run === null ? from.file : `${path.basename(from.run)}, ${from.checkpoint}`;
    return {
      // What a later layer would take is no fault of a network that is looked at in part.
      message: describeWeights({ ...report, unexpected: [] }, source),
      missing: [...report.missing, ...report.mismatched.map(({ name }) => name)],
    };
  } finally {
    if (file !== from.file) rmSync(file, { force: true });
  }
}

/** What must be right before there is anything to look at. */
function refuseBefore(plan: Plan, problems: readonly Problem[], dataError: GradloomError | null): void {
  if (dataError) throw dataError;
  if (!plan.project.data.source) {
    const wrong = problems.find(({ severity, path }) => severity === 'error' && path.startsWith('data.source'));
    throw new GradloomError('DATA_MISSING', wrong?.message ?? 'No data source is chosen', {
      hint: wrong?.hint ?? 'Choose the data first: a look inside shows what the network makes of one sample of it.',
      path: 'data.source',
    });
  }
  const ofData = problems.find(
    ({ severity, path }) => severity === 'error' && /^data\.(source|transforms|split)/.test(path),
  );
  if (ofData) throw new GradloomError('PROJECT_INVALID', ofData.message, { hint: ofData.hint, path: ofData.path });
  if (plan.network.length > 0 || plan.layers.length > 0) return;
  const first = stopOf(plan, problems);
  throw new GradloomError('PROJECT_INVALID', first?.message ?? 'The network has no layers', {
    hint: first?.hint ?? 'Add a layer.',
    path: first?.path ?? 'model.layers',
  });
}

function noPart(part: LookOptions['part']): GradloomError {
  return part === 'test'
    ? new GradloomError('BAD_CALL', 'The data has no test part', { hint: 'Look at a sample of train or val.' })
    : new GradloomError('BAD_CALL', `The project has no ${partWords[part]} part`, {
        hint: 'Look at a sample of train, or set data.split.val.',
        path: 'data.split.val',
      });
}

/** The first error in the network, where that ends before its last layer. */
function stopOf(plan: Plan, problems: readonly Problem[]): Look['stopped'] {
  if (plan.output.length > 0) return null;
  const error = problems.find(({ severity, path }) => severity === 'error' && /^model\b/.test(path));
  return error ? { path: error.path, message: error.message, hint: error.hint } : null;
}

/** Those of the layers that are looked at. */
function tensorsOf({ network, tensors }: Plan): PlannedTensor[] {
  const inside = network.map(({ path }) => `${path}.`);
  return tensors.filter(({ name }) => inside.some((prefix) => name.startsWith(prefix)));
}

/** What trains is not there; what computes is as the run would have it, in fp32. */
function nativePlanOf(
  plan: Plan,
  pack: DataPack,
  splits: Splits,
  transforms: Chosen[],
  request: TrainRequest,
): NativePlan {
  const defaults = planProject({}, null);
  const { training } = plan.project;
  // One sample asks for no accelerator, which a training may just be filling.
  const device = request.device ?? 'cpu';
  const addon = loadAddon();
  const hardware = chooseHardware(
    { ...plan, project: { ...plan.project, training: { ...training, device, precision: 'fp32' } } },
    addon,
    request.threads,
  );
  return {
    seed: training.seed,
    deterministic: false,
    device: hardware.device.value,
    threads: hardware.threads,
    input: plan.input,
    model: plan.network,
    loss: defaults.loss,
    optimizer: defaults.optimizer,
    groups: [],
    frozen: [],
    inits: nativeInits(tensorsOf(plan)),
    untrained: true,
    target: pack.facts.target.kind,
    metrics: [],
    ...neutral,
    transforms,
    data: {
      parts: pack.parts,
      splits: Object.fromEntries(Object.entries(splits).filter(([, split]) => split !== undefined)),
    },
    loader: {
      ...plan.project.data.loader,
      batch_size: 1,
      num_workers: 0,
      pin_memory: false,
      persistent_workers: false,
    },
  };
}
