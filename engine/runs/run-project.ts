/** The project as a run was begun or last resumed with: read from its folder, and compared with what it was then. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { GradloomError } from '../contract/errors.ts';
import { type Plan, planProject } from '../contract/plan.ts';
import type { Edit } from '../contract/problems.ts';
import { type Project, readProject } from '../contract/project.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { projectName } from './folder.ts';
import type { Advice } from './hold.ts';
import type { TrainingState } from './training-state.ts';

/** @throws GradloomError RUN_DAMAGED */
export function readRunProject(folder: string): string {
  const file = path.join(folder, projectName);
  try {
    const text = readFileSync(file, 'utf8');
    const { project, problems } = readProject(text);
    if (project === null) throw new Error(problems[0]?.message ?? 'it is no project');
    return text;
  } catch (thrown) {
    throw new GradloomError('RUN_DAMAGED', `The run's project cannot be read: ${GradloomError.from(thrown).message}`, {
      hint: 'Restore the file from a copy; the checkpoints are not affected.',
      path: file,
      cause: thrown,
    });
  }
}

/** These say how an epoch is cut into steps and what its running sums are of: in mid-epoch there is no going on with others. */
const fixedWithinEpoch =
  /^(data\.loader\.(batch_size|shuffle|sampler|class_weights|bucket_by_length|drop_last)|training\.(seed|loss|metrics))(\..*)?$/;

/** What somebody has changed in a run's `project.json` since it last ran. What the resume itself asks for is no news. */
export class ProjectChanges {
  readonly #changes: Change[];
  readonly #model: boolean;
  readonly #peak: unknown;
  readonly #asked: readonly string[];

  constructor(before: Project, now: Plan, facts: DataFacts, given: { epochs: boolean; edits: readonly Edit[] }) {
    this.#asked = given.edits.map((edit) => edit.path.join('.'));
    const then = planProject(before, facts);
    this.#changes = differences(then.project, now.project)
      .map((change) => ({ ...change, name: change.name.replace('.args', '') }))
      .filter(({ name }) => !(given.epochs && name === 'training.epochs'));
    this.#peak = now.project.training.schedule?.args.max_lr;
    this.#model = !isDeepStrictEqual(then.model, now.model); // names and notes of layers change nothing
  }

  /** @throws GradloomError PROJECT_INVALID for what the checkpoint cannot be gone on with */
  refuse(state: TrainingState, folder: string): void {
    const names = this.#changes.map(({ name }) => name);
    const refused = names.filter(
      (name) =>
        name === 'training.optimizer.kind' ||
        (this.#model && /^model\.(layers|blocks)/.test(name)) ||
        (state.batch > 0 && fixedWithinEpoch.test(name)),
    );
    const [first] = refused;
    if (first === undefined) return;
    const file = path.join(folder, projectName);
    const asked = refused.every((name) => this.#isAsked(name));
    throw new GradloomError(
      'PROJECT_INVALID',
      asked
        ? `The run's checkpoint cannot be gone on with another ${list(refused)}, which was asked for`
        : `${file} was changed since the run last ran, and its checkpoint cannot be gone on with: ${list(refused)}`,
      {
        hint: `${asked ? 'Resume without it' : 'Undo the change to resume this run'}, or train the changed project as a new one.`,
        path: first,
      },
    );
  }

  /** Whether learning rates are planned anew. */
  ofRates(): boolean {
    return this.#changes.some(({ name }) => /^training\.(optimizer\.lr|schedule)(\.|$)/.test(name));
  }

  advice(): Advice[] {
    const asked = this.#changes.filter(({ name }) => this.#isAsked(name));
    const others = this.#changes.filter(({ name }) => !this.#isAsked(name));
    // Resuming keeps to the device that was used last.
    const used = others.filter(({ name }) => name !== 'training.device');
    const more: Advice[] =
      used.length === others.length
        ? []
        : [
            {
              code: 'PROJECT_CHANGED',
              message: "The run's project.json names another device, which a resume does not follow",
              hint: 'Choose the device when you resume the run.',
            },
          ];
    if (typeof this.#peak === 'number' && this.#changes.some(({ name }) => name === 'training.optimizer.lr')) {
      more.push({
        code: 'PROJECT_CHANGED',
        message: `The schedule climbs to its own max_lr (${this.#peak}), whatever training.optimizer.lr is`,
        hint: 'Change training.schedule.max_lr instead.',
      });
    }
    // Of these a change of the run tells.
    const told = asked.filter(({ name }) => name !== 'training.optimizer.lr' && name !== 'training.epochs');
    const onward = (which: Change[]) => `from here on it trains with the new ${list(which.map(shown))}`;
    const messages = [
      ...(used.length === 0 ? [] : [`The run's project.json was changed since it last ran; ${onward(used)}`]),
      ...(told.length === 0 ? [] : [`As asked, ${onward(told)}`]),
    ];
    return [...messages.map((message) => ({ code: 'PROJECT_CHANGED', message })), ...more];
  }

  #isAsked(name: string): boolean {
    return this.#asked.some((one) => name === one || name.startsWith(`${one}.`) || one.startsWith(`${name}.`));
  }
}

interface Change {
  /** `training.optimizer.lr` */
  name: string;
  before: unknown;
  now: unknown;
}

/** The values that differ between two trees of plain data. A key that is missing differs. */
function differences(before: unknown, now: unknown, name = ''): Change[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (!isTree(before) || !isTree(now)) return [{ name, before, now }];
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].flatMap((key) => differences(before[key], now[key], name === '' ? key : `${name}.${key}`));
}

/** With what it was and is, where that is a plain value. */
function shown({ name, before, now }: Change): string {
  const plain = (value: unknown) => value === null || ['number', 'string', 'boolean'].includes(typeof value);
  return plain(before) && plain(now) ? `${name} (${before} → ${now})` : name;
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function list(names: string[], most = 8): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}
