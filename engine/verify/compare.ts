/** Finds the first step, and the first tensor at it, in which two trainings differ that should be one. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CheckDifference } from '../contract/finders.ts';
import { plural } from '../format.ts';
import { checkpointsName } from '../runs/folder.ts';
import { readJournal } from '../runs/journal-reader.ts';
import { readTrace, type TraceLine } from './trace.ts';

/** A run and its trace. */
export interface Traced {
  run: string;
  trace: string;
}

export interface Comparison {
  difference: CheckDifference | null;
  steps: number;
  tensors: number;
  epochEnds: number;
}

/** Differ from run to run by nature. */
const wallTime = new Set([
  'time',
  'seconds',
  'samples_per_second',
  'breakdown',
  'data_wait',
  'memory',
  'train_seconds',
  'files',
]);

export async function compareRuns(expected: Traced, found: Traced): Promise<Comparison> {
  const [a, b] = [readTrace(expected.trace), readTrace(found.trace)];
  const [journalA, journalB] = [await series(expected.run), await series(found.run)];
  const tensors = firstTensor(a, b);
  const values = firstValue(journalA.steps, journalB.steps) ?? firstValue(journalA.epochs, journalB.epochs);
  const differences = [tensors, values].filter((one) => one !== null);
  // At one step the tensor says more than the loss that follows from it.
  const first = differences.sort((one, other) => (one.step ?? 0) - (other.step ?? 0))[0] ?? state(expected, found);
  return {
    difference: first,
    steps: a.at(-1)?.step ?? 0,
    tensors: Object.keys(a[0]?.tensors ?? {}).length,
    epochEnds: journalA.epochs.size,
  };
}

/** Every line of `found`, also those of steps done twice, must be the line of that step in `expected`. */
export function firstTensor(expected: readonly TraceLine[], found: readonly TraceLine[]): CheckDifference | null {
  const lines = new Map(expected.map((line) => [line.step, line.tensors]));
  let first: CheckDifference | null = null;
  for (const { step, tensors } of found) {
    const wanted = lines.get(step);
    if (!wanted || (first?.step != null && step >= first.step)) continue;
    const differing = [...new Set([...Object.keys(wanted), ...Object.keys(tensors)])]
      .filter((name) => wanted[name] !== tensors[name])
      .sort(byImportance);
    const [name] = differing;
    if (name === undefined) continue;
    const [where, tensor] = [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)];
    const message = `After step ${step} the tensor ${tensor} (${where}) is not the same${differing.length > 1 ? `, nor are ${plural(differing.length - 1, 'other')}` : ''}`;
    first = { step, what: 'tensor', where, tensor, tensors: differing.length, message };
  }
  return first;
}

/** The model first: that is what a person knows. */
function byImportance(a: string, b: string): number {
  const rank = (name: string) => ['model', 'ema', 'optimizer', 'scaler', 'rng'].indexOf(name.split('.')[0] as string);
  return rank(a) - rank(b) || a.localeCompare(b);
}

type Rows = Map<number, Record<string, unknown>>;

/** The effective journal: what lies beyond a resume is overwritten by what was done again. */
async function series(run: string): Promise<{ steps: Rows; epochs: Rows }> {
  const steps: Rows = new Map();
  const epochs: Rows = new Map();
  for (const event of await readJournal(run)) {
    if (event.type === 'epoch') epochs.set(event.step, withoutWallTime(event));
    if (event.type !== 'steps') continue;
    for (const [i, step] of event.step.entries()) {
      const columns = Object.entries(event).filter(([, values]) => Array.isArray(values));
      steps.set(step, Object.fromEntries(columns.map(([name, values]) => [name, (values as unknown[])[i]])));
    }
  }
  return { steps, epochs };
}

function firstValue(expected: Rows, found: Rows): CheckDifference | null {
  for (const step of [...new Set([...expected.keys(), ...found.keys()])].sort((a, b) => a - b)) {
    const [a, b] = [expected.get(step) ?? {}, found.get(step) ?? {}];
    const column = [...new Set([...Object.keys(a), ...Object.keys(b)])].find(
      (name) => !isDeepStrictEqual(a[name], b[name]),
    );
    if (column === undefined) continue;
    const message = `At step ${step} the journal's ${column} is ${show(a[column])} in one and ${show(b[column])} in the other`;
    return { step, what: 'journal', where: column, tensor: null, tensors: 0, message };
  }
  return null;
}

/** What the last checkpoints say besides their tensors: sums, best, schedule, early stopping. */
function state(expected: Traced, found: Traced): CheckDifference | null {
  const [a, b] = [lastState(expected.run), lastState(found.run)];
  const key = [...new Set([...Object.keys(a), ...Object.keys(b)])].find((name) => !isDeepStrictEqual(a[name], b[name]));
  if (key === undefined) return null;
  const message = `The last checkpoints' ${key} is ${show(a[key])} in one and ${show(b[key])} in the other`;
  return { step: null, what: 'state', where: key, tensor: null, tensors: 0, message };
}

function lastState(run: string): Record<string, unknown> {
  const base = path.join(run, checkpointsName);
  const { last } = JSON.parse(readFileSync(path.join(base, 'index.json'), 'utf8')) as { last: string };
  return withoutWallTime(JSON.parse(readFileSync(path.join(base, last, 'state.json'), 'utf8')));
}

function withoutWallTime(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value, (key, inner) => (wallTime.has(key) ? undefined : inner)));
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}
