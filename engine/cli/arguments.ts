/** Reads what stands on the command line; each refusal says what was expected. */
import { InvalidArgumentError } from 'commander';
import { GradloomError } from '../contract/errors.ts';
import type { CheckpointName, SplitName } from '../runs/types.ts';
import { checkThreads } from '../threads.ts';

export function positiveInteger(text: string): number {
  return integerFrom(text, 1);
}

export function threadCount(text: string): number {
  try {
    return checkThreads(positiveInteger(text));
  } catch (thrown) {
    if (!(thrown instanceof GradloomError)) throw thrown;
    throw new InvalidArgumentError(`${thrown.message}. ${thrown.hint}`);
  }
}

export function countFrom0(text: string): number {
  return integerFrom(text, 0);
}

function integerFrom(text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new InvalidArgumentError(`Expected a whole number ≥ ${least}.`);
}

export function rate(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('Expected a number ≥ 0, such as 0.001 or 1e-3.');
}

export function checkpointName(text: string): CheckpointName {
  if (text === 'best' || text === 'last') return text;
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected best, last or the number of a step.');
}

export function splitName(text: string): SplitName {
  if (text === 'train' || text === 'val' || text === 'test') return text;
  throw new InvalidArgumentError('Expected train, val or test.');
}

const wordsOfPython: Record<string, string> = { True: 'true', False: 'false', None: 'null' };

/**
 * `training.optimizer.lr=0.01`: a dotted path and a JSON value. A value that is no JSON but a plain word (`Adam`, `cuda:0`,
 * `../data/digits`) is taken as text, so that shells need no second layer of quotes; whatever looks like broken JSON is refused.
 */
export function setting(text: string, earlier: [string, unknown][] = []): [string, unknown][] {
  const at = text.indexOf('=');
  const key = text.slice(0, Math.max(0, at));
  if (at < 0) throw new InvalidArgumentError(`Expected key.path=JSON, such as training.optimizer.lr=0.01.`);
  if (!key.split('.').every((part) => /^[\p{L}\p{N}_-]+$/u.test(part))) {
    throw new InvalidArgumentError(`${JSON.stringify(key)} is no dotted path such as model.layers.3.out_features.`);
  }
  return [...earlier, [key, jsonValue(text.slice(at + 1))]];
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const json = wordsOfPython[text];
    if (json) throw new InvalidArgumentError(`${text} is Python; JSON writes ${json}.`);
    if (text === '') throw new InvalidArgumentError('The value is missing; an empty text is written \'""\'.');
    if (/^[\p{L}_./\\~][^"'{}[\],]*$/u.test(text)) return text;
    throw new InvalidArgumentError(`${text} is not JSON. Quote it for the shell: --set 'key=["a", 1]'.`);
  }
}
