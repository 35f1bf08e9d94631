/** The project as a run was begun or last resumed with: read from its folder, and compared with what it was then. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { GradloomError } from '../contract/errors.ts';
import { type Plan, planProject } from '../contract/plan.ts';
import { type Project, readProject } from '../contract/project.ts';
import type { DataFacts } from '../contract/tensors.ts';
import type { TrainingState } from './checkpoints.ts';
import { projectName } from './folder.ts';
import type { Advice } from './hold.ts';

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
const fixedWithinEpoch = /^(data\.loader\.(batch_size|shuffle|drop_last)|training\.(seed|loss|metrics)(\..*)?)$/;

/** What somebody has changed in a run's `project.json` since it last ran. `--epochs` of a resume is no such change. */
export class ProjectChanges {
  readonly #names: string[];
  readonly #model: boolean;

  constructor(before: Project, now: Plan, facts: DataFacts, given: { epochs: boolean }) {
    const then = planProject(before, facts);
    const names = differences(then.project, now.project).map((name) => name.replace('.args', ''));
    this.#names = names.filter((name) => !(given.epochs && name === 'training.epochs'));
    this.#model = !isDeepStrictEqual(then.model, now.model); // names and notes of layers change nothing
  }

  /** @throws GradloomError PROJECT_INVALID for what the checkpoint cannot be gone on with */
  refuse(state: TrainingState, folder: string): void {
    const refused = this.#names.filter(
      (name) =>
        name === 'training.optimizer.kind' ||
        (this.#model && /^model\.(layers|blocks)/.test(name)) ||
        (state.batch > 0 && fixedWithinEpoch.test(name)),
    );
    const [first] = refused;
    if (first === undefined) return;
    const file = path.join(folder, projectName);
    throw new GradloomError(
      'PROJECT_INVALID',
      `${file} was changed since the run last ran, and its checkpoint cannot be gone on with: ${list(refused)}`,
      { hint: 'Undo the change to resume this run, or train the changed project as a new one.', path: first },
    );
  }

  advice(): Advice[] {
    // Resuming keeps to the device that was used last.
    const used = this.#names.filter((name) => name !== 'training.device');
    const device: Advice[] =
      used.length === this.#names.length
        ? []
        : [
            {
              code: 'PROJECT_CHANGED',
              message: "The run's project.json names another device, which a resume does not follow",
              hint: 'Give it with --device.',
            },
          ];
    if (used.length === 0) return device;
    const message = `The run's project.json was changed since it last ran; from here on it trains with the new ${list(used)}`;
    return [{ code: 'PROJECT_CHANGED', message }, ...device];
  }
}

/** Paths of the values that differ between two trees of plain data: `training.optimizer.lr`. A key that is missing differs. */
function differences(before: unknown, now: unknown, place = ''): string[] {
  if (isDeepStrictEqual(before, now)) return [];
  if (!isTree(before) || !isTree(now)) return [place];
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].flatMap((key) => differences(before[key], now[key], place === '' ? key : `${place}.${key}`));
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function list(names: string[], most = 8): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}
