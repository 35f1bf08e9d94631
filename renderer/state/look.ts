/** Looking inside the open network: which sample, which weights, and what the engine tells of a layer, asked anew with every edit. */
import { useEffect, useRef, useState } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { type Look, type LookOptions, type LookPart, type LookWeights, lookParts } from '../../engine/contract/look.ts';
import type { Plan, PlannedLayer } from '../../engine/contract/plan.ts';
import { connection, engine, retryMs } from '../client/client.ts';
import { useProjectState } from './project.ts';
import { isLive, isOf } from './runs.ts';
import { infoOf } from './session.ts';

/** What is looked at; lies in the address. */
export interface LookAt {
  part: LookPart;
  index: number;
  /** `init`, `project`, or a run's name with `:best` or `:last` behind it. null: nobody has chosen, see `weightsUnchosen`. */
  weights: string | null;
}

export const firstLook: LookAt = { part: 'train', index: 0, weights: null };

/** `val.12`, and where weights were chosen `val.12.digits-cnn-001:best`. */
export function lookText({ part, index, weights }: LookAt): string {
  return [part, index, ...(weights === null ? [] : [weights])].join('.');
}

/** A run's weights as they are looked at first: of its best epoch, else its last ones; null: it has learned nothing yet. */
export function weightsOfRun({ name, status, summary }: RunRow): string | null {
  if (!summary || summary.step === 0 || isLive(status)) return null;
  if (summary.best) return `${name}:best`;
  // They may be what it failed of.
  return status === 'failed' ? null : `${name}:last`;
}

/** Those that the newest run of this project has learned for a network of this size; without one, random ones. */
export function weightsUnchosen(runs: readonly RunRow[], plan: Plan): string {
  const { name } = plan.project;
  const fitting = runs
    .filter((run) => isOf(run, name) && run.summary?.parameters === plan.parameters && weightsOfRun(run) !== null)
    .sort((a, b) => Date.parse(b.summary?.started ?? '') - Date.parse(a.summary?.started ?? ''));
  return (fitting[0] && weightsOfRun(fitting[0])) ?? 'init';
}

/** What an address asks for, as far as it can be read; null: nothing. */
export function lookOf(text: string | null): LookAt | null {
  if (text === null) return null;
  const [, part, index, weights = null] = /^([a-z]+)\.(\d+)(?:\.(.+))?$/.exec(text) ?? [];
  const known = lookParts.find((name) => name === part);
  return known === undefined ? firstLook : { part: known, index: Number(index), weights };
}

export function weightsOf(chosen: string): LookWeights {
  if (chosen === 'init' || chosen === 'project') return { kind: chosen };
  const [, run = chosen, which] = /^(.+):(best|last)$/.exec(chosen) ?? [];
  const checkpoint = which === 'best' || which === 'last' ? { checkpoint: which as 'best' | 'last' } : {};
  return { kind: 'from', weights: run, ...checkpoint };
}

/** Every layer of the plan that stands at this place in the project: several of one that is repeated, or in a block used twice. */
export function pathsAt(plan: Plan | null, place: string): string[] {
  const found: string[] = [];
  const walk = (layers: readonly PlannedLayer[]) => {
    for (const layer of layers) {
      if (layer.place === place) found.push(layer.path);
      for (const child of layer.children ?? []) walk(child.layers);
    }
  };
  walk(plan?.layers ?? []);
  return found;
}

/** Little-endian Float32 in base64. */
export function floatsOf(text: string): Float32Array {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

export interface LookState {
  /** The newest there is; stays while the next is on its way. */
  look: Look | null;
  error: ErrorInfo | null;
  reading: boolean;
}

const blank: LookState = { look: null, error: null, reading: false };
const awaited: LookState = { ...blank, reading: true };
/** After an edit, so that typing a number is not looked at key by key. */
const restMs = 250;
/** Values of a layer in this window, at most: 1 MiB. */
const most = 1 << 18;

/** `layers`: paths of those whose values are wanted. */
export function useLookInside(
  { part, index, weights }: LookAt & { weights: string },
  layers: readonly string[],
): LookState {
  const file = useProjectState((state) => state.file);
  const text = useProjectState((state) => state.text);
  const [{ of, ...state }, setState] = useState({ ...blank, of: file });
  const key = JSON.stringify([file, part, index, weights, layers]);
  const typed = useRef(text);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for all that is asked for
  useEffect(() => {
    if (file === null) return setState({ ...blank, of: file });
    setState((before) => ({ ...(before.of === file ? before : blank), of: file, reading: true }));
    const end = new AbortController();
    const options: LookOptions = {
      part,
      index,
      weights: weightsOf(weights),
      layers: [...layers],
      statistics: false,
      most,
    };
    const ask = async (): Promise<void> => {
      try {
        const look = await engine.look({ file, text, options }, { signal: end.signal });
        if (!end.signal.aborted) setState({ look, error: null, reading: false, of: file });
      } catch (thrown) {
        if (end.signal.aborted) return;
        const error = infoOf(thrown);
        // The next call waits until the engine is there again; one that is just ending refuses it.
        if (error.code === 'CLOSED' && connection.status !== 'unauthorised') {
          due = setTimeout(() => void ask(), retryMs);
          return;
        }
        setState({ look: null, error, reading: false, of: file });
      }
    };
    let due = setTimeout(() => void ask(), typed.current === text ? 0 : restMs);
    typed.current = text;
    return () => {
      clearTimeout(due);
      end.abort();
    };
  }, [key, text]);
  // What was seen in another project is not this one's.
  return of === file ? state : awaited;
}
