/** A layer's `train.init` as it is written, in parts, and back: a kind's name, or an object with arguments and the bias's own. Pure. */
import { isObject, type JsonObject } from '../../engine/contract/report.ts';

export interface InitPart {
  /** null: nothing is said. */
  kind: string | null;
  args: JsonObject;
}

export interface InitParts {
  weight: InitPart;
  bias: InitPart;
}

export type InitRole = keyof InitParts;

function partOf(value: unknown): InitPart {
  if (typeof value === 'string') return { kind: value, args: {} };
  if (!isObject(value) || typeof value.kind !== 'string') return { kind: null, args: {} };
  const { kind, bias: _bias, ...args } = value;
  return { kind, args };
}

export function initParts(value: unknown): InitParts {
  return { weight: partOf(value), bias: partOf(isObject(value) ? value.bias : undefined) };
}

function written({ kind, args }: InitPart): unknown {
  if (kind === null) return undefined;
  return Object.keys(args).length === 0 ? kind : { kind, ...args };
}

/** As short as it can be written; undefined: nothing is said. */
export function initOf({ weight, bias }: InitParts): unknown {
  const aside = written(bias);
  if (aside === undefined) return written(weight);
  // An object needs a kind; this one leaves the weight to PyTorch.
  return { kind: weight.kind ?? 'default', ...weight.args, bias: aside };
}
