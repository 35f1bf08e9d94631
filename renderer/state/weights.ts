/** What a run of the open project would take of the weights that it starts from: asked anew when these or the network change. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { Plan } from '../../engine/contract/plan.ts';
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
export function useWeightsReport(plan: Plan): Pick<Known, 'report' | 'error'> {
  const file = useProjectState((state) => state.file);
  const { weights } = plan.project.model;
  const network = plan.tensors.map(({ name, shape }) => `${name} ${shape}`).join('\n');
  const key = weights === null || file === null || plan.model === null ? '' : [file, weights, network].join('\n');
  useEffect(() => {
    if (key === '' || useKnown.getState().key === key) return;
    const timer = setTimeout(() => void ask(key), pauseMs);
    return () => clearTimeout(timer);
  }, [key]);
  const known = useKnown();
  // What is known of a network that was changed a moment ago stays until the new answer is there.
  return key === '' ? nothing : known;
}

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
