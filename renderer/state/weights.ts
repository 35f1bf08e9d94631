/** What a run of the open project would take of the weights that it starts from: asked anew when these or the network change. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import type { Problem } from '../../engine/contract/problems.ts';
import { removeEdit } from '../../engine/contract/report.ts';
import type { WeightsReport } from '../../engine/contract/weights.ts';
import { engine } from '../client/client.ts';
import { useProjectState } from './project.ts';
import { infoOf } from './session.ts';

interface Known {
  /** What it was asked for. */
  key: string;
  report: WeightsReport | null;
  error: ErrorInfo | null;
}

const nothing: Known = { key: '', report: null, error: null };
const useKnown = create<Known>(() => nothing);
/** Typing a path asks once it pauses. */
const pauseMs = 200;

/** null in both: the project starts afresh, or it is not told yet. */
export function useWeightsReport(plan: Plan | null): Pick<Known, 'report' | 'error'> {
  const file = useProjectState((state) => state.file);
  const weights = plan?.project.model.weights ?? null;
  const key = weights === null || file === null || !plan?.model ? '' : `${placeOf(file, weights)}${networkOf(plan)}`;
  useEffect(() => {
    if (key === '' || useKnown.getState().key === key) return;
    const timer = setTimeout(() => {
      // Several parts of the window want to know it.
      if (useKnown.getState().key !== key) void ask(key);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [key]);
  const known = useKnown();
  // What is known of a network that was changed a moment ago stays until the new answer is there.
  return key === '' ? nothing : known;
}

const placeOf = (file: string, weights: string) => `${file}\n${weights}\n`;
const networkOf = ({ tensors }: Plan) => tensors.map(({ name, shape }) => `${name} ${shape}`).join('\n');

/** What keeps a run from starting from these weights, as far as it is known: whoever draws the report asks for it. */
export function useWeightsProblem(plan: Plan | null): Problem | null {
  const file = useProjectState((state) => state.file);
  const { key, report, error } = useKnown();
  const dataFails = useProjectState((state) => state.factsError !== null);
  const weights = plan?.project.model.weights ?? null;
  if (weights === null || file === null || !plan?.model || !key.startsWith(placeOf(file, weights))) return null;
  if (error && !dataFails && ofTheFile.has(error.code)) return unreadable(error);
  return report?.matched.length === 0 ? nothingFits : null;
}

/** Asks anew: the file may have been put right. */
export function readWeightsAgain(): void {
  const { key } = useKnown.getState();
  if (key !== '') void ask(key);
}

/** What is wrong with the file itself; else the data or the network are, which have problems of their own. */
const ofTheFile: ReadonlySet<ErrorInfo['code']> = new Set([
  'WEIGHTS_FORMAT',
  'WEIGHTS_MISMATCH',
  'FILE_NOT_FOUND',
  'NOT_READABLE',
  'CHECKPOINT_MISSING',
  'CHECKPOINT_DAMAGED',
] as const);

const useFresh = { label: 'Use fresh weights', edits: [removeEdit(['model', 'weights'])] };

function unreadable({ message, hint }: ErrorInfo): Problem {
  return {
    code: 'BAD_VALUE',
    severity: 'error',
    path: 'model.weights',
    message: `A run cannot start from these weights: ${message}`,
    hint: hint ?? 'Choose others.',
    fixes: [useFresh],
  };
}

const nothingFits: Problem = {
  code: 'OUTPUT_MISMATCH',
  severity: 'error',
  path: 'model.weights',
  message: 'None of the weights to start from fits the network, so a run would not start',
  hint: 'Choose others, or build the network that they are of.',
  fixes: [useFresh],
};

async function ask(key: string): Promise<void> {
  const { file, text } = useProjectState.getState();
  if (file === null) return;
  useKnown.setState(({ report }) => ({ key, report }));
  const told = await engine.projects.weights({ file, text }).then(
    (report) => ({ report, error: null }),
    (thrown: unknown) => ({ report: null, error: infoOf(thrown) }),
  );
  if (useKnown.getState().key === key) useKnown.setState(told);
}
