/** What a person sees of a data source before training: its facts, and samples with and without the transforms. */
import { GradloomError } from '../contract/errors.ts';
import { planProject } from '../contract/plan.ts';
import type { ResolvedSource } from '../contract/project.ts';
import type { DataFacts, PartName } from '../contract/tensors.ts';
import { transforms as transformTable } from '../contract/transforms.ts';
import type { PreviewSample, ProjectPreview } from '../contract/wire.ts';
import { factsOf } from './describe.ts';
import type { OpenSource } from './open-source.ts';
import type { DataPack } from './pack.ts';
import { type Kept, packRows, type Rows } from './rows.ts';
import { openSource } from './source.ts';
import { applyTransform } from './transform.ts';

export interface WantedSamples {
  part: PartName;
  start: number;
  count: number;
  /** Only samples of this class. */
  class?: number;
}

interface Known {
  key: string;
  facts: DataFacts;
  rows: Map<string, Rows>;
  labels: Map<string, Uint32Array | null>;
}

/** What was read stays in memory this long after the last look at it. */
const keepMs = 60_000;

export class Previews {
  /** Packs a source that only libtorch can draw; answers its pack. */
  readonly #pack: (source: ResolvedSource, baseDir: string, signal?: AbortSignal) => Promise<DataPack>;
  #known: Known | null = null;
  readonly #keep: Kept;
  #forget: NodeJS.Timeout | undefined;

  constructor(
    pack: (source: ResolvedSource, baseDir: string, signal?: AbortSignal) => Promise<DataPack>,
    { mostBytes = 256 << 20 }: { mostBytes?: number } = {},
  ) {
    this.#pack = pack;
    this.#keep = { mostBytes, unpacked: null };
  }

  /** @throws GradloomError DATA_*, LABEL_RANGE, NOT_READABLE */
  async preview(
    source: ResolvedSource,
    baseDir: string,
    transforms: readonly unknown[],
    wanted: WantedSamples,
    signal?: AbortSignal,
  ): Promise<ProjectPreview> {
    clearTimeout(this.#forget);
    this.#forget = setTimeout(() => {
      this.#known = null;
      this.#keep.unpacked = null;
    }, keepMs).unref();
    const known = await this.#open(source, baseDir);
    const { facts } = known;
    const size = facts.parts[wanted.part] ?? 0;
    const { steps, error } = chosenTransforms(source, transforms, facts);
    const range = { raw: [0, 0] as [number, number], transformed: [0, 0] as [number, number] };
    const blank = { facts, total: size, samples: [], range, transformError: error };
    if (size === 0 || (wanted.count === 0 && wanted.class === undefined)) return blank;

    const rows = await this.#rows(known, source, baseDir, wanted.part, signal);
    const labels = await this.#labels(known, rows, wanted.part, signal);
    const { positions, total } = choose(wanted, size, labels);
    if (positions.length === 0) return { ...blank, total };
    const inputs = await rows.inputs(positions, signal);
    const samples = inputs.map((raw, i): PreviewSample => {
      const transformed = steps.reduce((values, step) => applyTransform(step, values, facts.input.dims), raw);
      const index = positions[i] as number;
      return {
        index,
        target: labels?.[index] ?? null,
        raw: plain(raw),
        transformed: plain(transformed),
      };
    });
    return {
      ...blank,
      total,
      samples,
      range: { raw: extent(samples, 'raw'), transformed: extent(samples, 'transformed') },
    };
  }

  async #open(source: ResolvedSource, baseDir: string): Promise<Known> {
    const opened = await openSource(source, baseDir);
    const key = JSON.stringify([source, opened.identity]);
    if (this.#known?.key === key) return this.#known;
    const known = {
      key,
      facts: factsOf(opened, await opened.target()),
      rows: rowsOf(opened, this.#keep),
      labels: new Map(),
    };
    this.#known = known;
    return known;
  }

  async #rows(
    known: Known,
    source: ResolvedSource,
    baseDir: string,
    part: string,
    signal: AbortSignal | undefined,
  ): Promise<Rows> {
    if (known.rows.size === 0) {
      const { parts } = await this.#pack(source, baseDir, signal);
      for (const [name, { count, input, target }] of Object.entries(parts)) {
        known.rows.set(name, packRows(input, target, count));
      }
    }
    const rows = known.rows.get(part);
    if (!rows) throw new GradloomError('INTERNAL', `The source has no rows of its part ${part}`);
    return rows;
  }

  async #labels(known: Known, rows: Rows, part: string, signal: AbortSignal | undefined): Promise<Uint32Array | null> {
    const found = known.labels.get(part);
    if (found !== undefined) return found;
    const labels = await rows.labels(signal);
    known.labels.set(part, labels);
    return labels;
  }
}

/** Rows by part of a source whose samples can be read one by one; none for one that must be packed first. */
function rowsOf(opened: OpenSource, keep: Kept): Map<string, Rows> {
  const { rows, parts } = opened;
  return new Map(rows ? Object.keys(parts).map((part) => [part, rows(part, keep)]) : []);
}

function choose({ start, count, class: only }: WantedSamples, size: number, labels: Uint32Array | null) {
  const positions: number[] = [];
  if (only === undefined || labels === null) {
    for (let at = start; at < Math.min(size, start + count); at += 1) positions.push(at);
    return { positions, total: size };
  }
  let total = 0;
  for (let at = 0; at < labels.length; at += 1) {
    if (labels[at] !== only) continue;
    if (total >= start && positions.length < count) positions.push(at);
    total += 1;
  }
  return { positions, total };
}

/** The transforms as a run would apply them but for those that are drawn anew each time, or why it would not. */
function chosenTransforms(source: ResolvedSource, transforms: readonly unknown[], facts: DataFacts) {
  const plan = planProject({ gradloom: 1, data: { source, transforms }, model: { layers: [] } }, facts);
  const fault = plan.problems.find(({ severity, path }) => severity === 'error' && path?.startsWith('data.transforms'));
  return fault
    ? { steps: [], error: fault.message }
    : { steps: plan.transforms.filter(({ kind }) => !transformTable.get(kind)?.random), error: null };
}

/** JSON has no infinities: the largest float stands for them. */
function plain(values: Float32Array): number[] {
  return Array.from(values, (value) => Math.min(largest, Math.max(-largest, value)));
}

const largest = 3.4028234663852886e38;

function extent(samples: PreviewSample[], key: 'raw' | 'transformed'): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const sample of samples) {
    for (const value of sample[key]) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return least <= most ? [least, most] : [0, 0];
}
