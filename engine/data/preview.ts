/** What a person sees of a data source before training: its facts, and samples with and without the transforms. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mark } from '../contract/data/marks.ts';
import { GradloomError } from '../contract/errors.ts';
import type { Addon } from '../contract/native.ts';
import { planProject } from '../contract/plan.ts';
import type { ResolvedSource } from '../contract/project.ts';
import type { Chosen } from '../contract/project-types.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { isUnfitted } from '../contract/transforms.ts';
import type { ProjectPreview } from '../contract/wire.ts';
import { lazyAddon } from '../native/lazy.ts';
import { describeOpened, factsOf } from './describe.ts';
import { marksOf, sampleName } from './mark-effects.ts';
import { honourMarks } from './marked.ts';
import type { OpenContext, OpenSource } from './open-source.ts';
import { OpenedLately } from './opened-lately.ts';
import type { DataPack } from './pack.ts';
import { chooseSamples, marksByName, type WantedSamples } from './preview-choice.ts';
import { isDivided, splitsOfPart } from './preview-split.ts';
import { asShown, plain, type Shown } from './preview-values.ts';
import { type Kept, packRows, type Rows } from './rows.ts';
import { defaultContext, openSource } from './source.ts';
import { makeSplits } from './split.ts';
import { type Fitted, fitTransforms, type TransformedSamples, transformSamples, withFitted } from './transform.ts';

export type { WantedSamples } from './preview-choice.ts';

interface Known {
  key: string;
  opened: OpenSource;
  facts: DataFacts;
  rows: Map<string, Rows>;
  labels: Map<string, Uint32Array | null>;
  /** What Normalize takes from the samples that train, and for which transforms. */
  fitted: { of: string; numbers: Fitted[] } | null;
}

/** How transforms are drawn. */
export interface WantedDraws {
  /** As training sees the samples in this epoch (from 0); absent: as evaluation does. */
  epoch?: number;
  seed?: number;
}

type Pack = (source: ResolvedSource, baseDir: string, context: OpenContext, signal?: AbortSignal) => Promise<DataPack>;

/** What was read stays in memory this long after the last look at it. */
const keepMs = 60_000;
/** Where opening takes long, files that change are noticed so long after, and at once by whoever asks for the facts alone. */
const lately = { freshMs: 3000, slowMs: 100 };

export class Previews {
  /** Packs a source that only libtorch can draw; answers its pack. */
  readonly #pack: Pack;
  readonly #addon: Addon;
  #known: Known | null = null;
  readonly #lately = new OpenedLately<Known>(lately);
  readonly #keep: Kept;
  #forget: NodeJS.Timeout | undefined;

  constructor(pack: Pack, { mostBytes = 256 << 20, addon = lazyAddon }: { mostBytes?: number; addon?: Addon } = {}) {
    this.#pack = pack;
    this.#addon = addon;
    this.#keep = { mostBytes, unpacked: null };
  }

  /** @throws GradloomError DATA_*, LABEL_RANGE, NOT_READABLE */
  async preview(
    source: ResolvedSource,
    baseDir: string,
    transforms: readonly unknown[],
    wanted: WantedSamples & WantedDraws,
    signal?: AbortSignal,
    context: OpenContext = defaultContext(),
  ): Promise<ProjectPreview> {
    clearTimeout(this.#forget);
    this.#forget = setTimeout(() => {
      this.#known = null;
      this.#lately.forget();
      this.#keep.unpacked = null;
    }, keepMs).unref();
    const of = JSON.stringify([source, baseDir, context]);
    const known = await this.#lately.get(of, () => this.#open(source, baseDir, context), wanted.count === 0);
    const { opened } = known;
    const facts = await describeOpened(opened, source, baseDir, async () => known.facts);
    const { part } = wanted;
    // Also those that take part in nothing.
    const size = opened.parts[part] ?? 0;
    const { chosen, error } = chosenTransforms(source, transforms, facts);
    const range = { raw: [0, 0] as [number, number], transformed: [0, 0] as [number, number] };
    const notes = opened.notes && opened.notes.length > 0 ? { notes: opened.notes } : {};
    const blank = { facts, total: size, samples: [], range, transformError: error, ...notes };
    const filtered =
      wanted.class !== undefined ||
      wanted.marked === true ||
      (wanted.search ?? '') !== '' ||
      wanted.within !== undefined ||
      wanted.indices !== undefined;
    if (size === 0 || (wanted.count === 0 && !filtered)) return blank;

    const rows = await this.#rows(known, source, baseDir, context, part, signal);
    const labels = await this.#labels(known, rows, wanted.part, signal);
    const allMarks = await marksOf(source, baseDir);
    const marks = marksByName(allMarks, part);
    const nameOf = (index: number) => sampleName(opened, part, index);
    const ofPart = { opened, source, split: context.split, part };
    const divided = await isDivided(ofPart);
    const classes = facts.target.kind === 'class' ? facts.target.classes : null;
    const splitsOf =
      wanted.within !== undefined || wanted.splits
        ? await splitsOfPart({ ...ofPart, marks: allMarks, labels, classes })
        : null;
    const { positions, total } = chooseSamples(wanted, { size, labels, nameOf, marks, splitsOf });
    if (positions.length === 0) return { ...blank, total, divided };
    const [inputs, goals] = await Promise.all([
      rows.inputs(positions, signal),
      labels === null ? rows.goals?.(positions, signal) : undefined,
    ]);
    const steps = await this.#fitted(known, chosen, source, baseDir, context, signal);
    const masks = facts.target.kind === 'mask' ? goals : undefined;
    const through = await this.#through(steps, wanted, facts.input.dims, inputs, positions, masks);
    const shown = inputs.map((raw, i): Shown => {
      const index = positions[i] as number;
      const mark = marks.get(nameOf(index));
      const goal = goals?.[i];
      const text = opened.textOf?.(raw);
      return {
        raw,
        transformed: through.samples[i] as Float32Array,
        sample: {
          index,
          ...(opened.nameOf ? { name: nameOf(index) } : {}),
          ...(mark ? { mark: markValue(mark) } : {}),
          target: labels?.[index] ?? null,
          ...(splitsOf ? { splits: [...splitsOf(index)] } : {}),
          ...(goal ? { goal: plain(goal) } : {}),
          ...(through.masks?.[i] ? { transformedGoal: plain(through.masks[i]) } : {}),
          ...(text === undefined ? {} : { text }),
        },
      };
    });
    return {
      ...blank,
      total,
      dims: through.dims,
      divided,
      ...asShown(
        shown,
        {
          raw: facts.input.dims,
          transformed: through.dims,
          ...(facts.target.kind === 'mask' ? { mask: facts.target.dims } : {}),
        },
        wanted.thumbs,
      ),
    };
  }

  #through(
    steps: readonly Chosen[],
    { epoch, seed = 0 }: WantedDraws,
    dims: readonly number[],
    samples: readonly Float32Array[],
    indices: readonly number[],
    masks: readonly Float32Array[] | undefined,
  ): Promise<TransformedSamples> | TransformedSamples {
    if (steps.length === 0) return { dims: [...dims], samples: [...samples], masks: null };
    const along = masks && { masks: { samples: masks, fill: 0 } };
    return transformSamples(this.#addon, {
      ...{ transforms: steps, dims, samples, indices, epoch: epoch ?? null, seed, ...along },
    });
  }

  /** Numbers of the samples that train are told by the packed data alone. */
  async #fitted(
    known: Known,
    chosen: readonly Chosen[],
    source: ResolvedSource,
    baseDir: string,
    context: OpenContext,
    signal: AbortSignal | undefined,
  ): Promise<readonly Chosen[]> {
    if (!chosen.some(isUnfitted)) return chosen;
    const { split } = context;
    // What comes behind the last that is fitted changes no number of it.
    const wanted = chosen.slice(0, chosen.findLastIndex(isUnfitted) + 1);
    const of = JSON.stringify([wanted, split, await marksOf(source, baseDir)]);
    if (known.fitted?.of !== of) {
      const folder = await mkdtemp(join(tmpdir(), 'gradloom-preview-'));
      try {
        const packed = await this.#pack(source, baseDir, context, signal);
        const { pack } = await honourMarks(packed, source, baseDir, split, { folder });
        const { splits } = await makeSplits(pack, split, this.#addon, folder);
        const { parts, facts } = pack;
        known.fitted = { of, numbers: await fitTransforms(this.#addon, wanted, { parts, splits, facts }) };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
    return withFitted(chosen, known.fitted.numbers);
  }

  async #open(source: ResolvedSource, baseDir: string, context: OpenContext): Promise<Known> {
    const opened = await openSource(source, baseDir, context);
    const key = JSON.stringify([source, opened.identity]);
    if (this.#known?.key === key) return this.#known;
    const known = {
      key,
      opened,
      facts: factsOf(opened, await opened.target()),
      rows: rowsOf(opened, this.#keep),
      labels: new Map(),
      fitted: null,
    };
    this.#known = known;
    return known;
  }

  async #rows(
    known: Known,
    source: ResolvedSource,
    baseDir: string,
    context: OpenContext,
    part: string,
    signal: AbortSignal | undefined,
  ): Promise<Rows> {
    if (known.rows.size === 0) {
      const { parts } = await this.#pack(source, baseDir, context, signal);
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

/** The transforms as a run would apply them, or why it would not. */
function chosenTransforms(source: ResolvedSource, transforms: readonly unknown[], facts: DataFacts) {
  const plan = planProject({ gradloom: 1, data: { source, transforms }, model: { layers: [] } }, facts);
  const fault = plan.problems.find(({ severity, path }) => severity === 'error' && path?.startsWith('data.transforms'));
  return fault ? { chosen: [], error: fault.message } : { chosen: plan.transforms, error: null };
}

function markValue({ part: _, sample: __, ...value }: Mark) {
  return value;
}
