/** The schedule of a run as it stands: the values of the next steps, what the epochs' ends and a person's changes make of it. */
import { GradloomError } from '../contract/errors.ts';
import type { GroupSchedule, NativePlan } from '../contract/native.ts';
import type { ResolvedSchedule } from '../contract/project.ts';
import { finite, firstScheduledEpoch, RatePlan, type RunLength, type StepPlace } from '../contract/schedule-plan.ts';
import { stepPlateau } from './plateau.ts';
import { batchesPerEpoch, realSteps, type ScheduleState, type TrainingState } from './training-state.ts';

/** Of the optimizer's own rate, by a plateau. */
export interface Reduction {
  monitor: string;
  before: number;
  after: number;
}

export class LiveSchedule {
  readonly #plan: NativePlan;
  readonly #schedule: ResolvedSchedule | null;
  readonly #training: TrainingState;
  readonly #state: ScheduleState;
  readonly #bases: readonly number[];
  #rates: RatePlan;

  /** Goes on from `training.schedule`, and keeps it up to date; `epochs` counts where that says nothing yet. */
  constructor(plan: NativePlan, schedule: ResolvedSchedule | null, epochs: number, training: TrainingState) {
    this.#plan = plan;
    this.#schedule = schedule;
    this.#training = training;
    this.#bases = plan.groups.map(({ lr }) => lr); // the first is the optimizer's
    this.#state = training.schedule ?? { epochs, lr: null, plateau: null, last_lr: null };
    training.schedule = this.#state;
    const adapts = schedule?.kind === 'ReduceLROnPlateau';
    if (!adapts) this.#state.plateau = null;
    else if (this.#state.plateau?.rates.length !== this.#bases.length) {
      this.#state.plateau = { rates: [...this.#bases], best: null, num_bad_epochs: 0, cooldown_counter: 0 };
    }
    this.#rates = this.#replan();
  }

  /** The last epoch that the run is to train. */
  get epochs(): number {
    return this.#state.epochs;
  }

  /** The learning rate of the last step, else of the first. */
  get lastRate(): number {
    return this.#state.last_lr ?? this.nextRate;
  }

  /** The optimizer's own learning rate at the next step. */
  get nextRate(): number {
    return this.#ratesAt(this.#next())[0] as number;
  }

  /** The same where `epochs` is the last one. */
  nextRateFor(epochs: number): number {
    const before = this.epochs;
    this.setEpochs(epochs);
    const rate = this.nextRate;
    this.setEpochs(before);
    return rate;
  }

  /** What the next `steps` real steps take, none of them beyond the epoch in progress: one entry a group. */
  columns(steps: number): GroupSchedule[] {
    const first = this.#next();
    const places = Array.from({ length: steps }, (_, i) => ({ ...first, step: first.step + i }));
    const rates = places.map((place) => this.#ratesAt(place));
    const momenta = places.map((place) => this.#rates.momentum(place));
    const momentum = momenta[0] === null ? {} : { momentum: momenta as number[] };
    return this.#bases.map((_, group) => ({ lr: rates.map((row) => row[group] as number), ...momentum }));
  }

  /** The optimizer's own learning rates of the steps that were done. */
  took(rates: readonly number[]): void {
    this.#state.last_lr = rates.at(-1) ?? this.#state.last_lr;
  }

  /** After an epoch's evaluation. */
  epochEnded(epoch: number, values: Record<string, number>): Reduction | null {
    const { plateau } = this.#state;
    if (!plateau || !this.#schedule || epoch - 1 < firstScheduledEpoch(this.#schedule, this.#length())) return null;
    const before = this.nextRate;
    const monitor = String(this.#schedule.args.monitor);
    const reduced = stepPlateau(plateau, this.#schedule.args, values[monitor] ?? Number.NaN);
    return reduced ? { monitor, before, after: this.nextRate } : null;
  }

  /**
   * From the next step on, every group's learning rate is multiplied so that the optimizer's own becomes `lr` there; the schedule goes on
   * with that factor. @throws GradloomError BAD_CALL where the planned rate is 0
   */
  setRate(lr: number): void {
    const { plateau } = this.#state;
    if (plateau) {
      const warm = this.nextRate / (plateau.rates[0] as number);
      const rates = plateau.rates[0] === 0 ? this.#bases : plateau.rates;
      const from = rates[0] as number;
      if (from === 0) throw cannotScale(this.#training);
      plateau.rates = rates.map((rate) => finite((rate / from) * (Number.isFinite(warm) ? lr / warm : lr)));
      return;
    }
    const planned = this.#rates.rates(this.#next())[0] as number;
    if (planned === 0) throw cannotScale(this.#training);
    this.#state.lr = { from: planned, to: lr };
  }

  /** A new last epoch: the schedule is planned anew for it, from here on. */
  setEpochs(epochs: number): void {
    this.#state.epochs = epochs;
    this.#rates = this.#replan();
  }

  /** Does `change` as a whole or, where it throws, not at all. */
  attempt(change: () => void): void {
    const before = structuredClone(this.#state);
    try {
      change();
    } catch (thrown) {
      Object.assign(this.#state, before);
      this.#rates = this.#replan();
      throw thrown;
    }
  }

  #ratesAt(place: StepPlace): number[] {
    const { lr, plateau } = this.#state;
    const planned = this.#rates.rates(place, plateau?.rates);
    // Divided first: at a rate that stands still it is exactly what was asked for.
    return lr === null ? planned : planned.map((rate) => finite((rate / lr.from) * lr.to));
  }

  /** Where the next step lies; after an epoch's last, in the next one. */
  #next(): StepPlace {
    const { epoch, batch } = this.#training;
    const over = batch >= batchesPerEpoch(this.#plan);
    return { epoch: over ? epoch : epoch - 1, step: realSteps(this.#training) };
  }

  #length(): RunLength {
    const steps = Math.ceil(batchesPerEpoch(this.#plan) / this.#plan.accumulate);
    return { epochs: this.#state.epochs, steps_per_epoch: steps };
  }

  #replan(): RatePlan {
    const groups = this.#bases.map((lr) => ({ lr }));
    return new RatePlan({ schedule: this.#schedule, optimizer: this.#plan.optimizer, groups, length: this.#length() });
  }
}

function cannotScale({ step }: TrainingState): GradloomError {
  return new GradloomError(
    'BAD_CALL',
    `The schedule's learning rate is 0 after step ${step}, so no factor makes it another`,
    {
      hint: 'Set it at another step, or change the schedule in a new run.',
    },
  );
}
