/** The open project's problems, and on which page each is mended. */
import type { Problem } from '../../engine/contract/problems.ts';
import { currentProject, usePlan, useProject, useProjectState } from './project.ts';
import { useWeightsProblem } from './weights.ts';

export type ProblemPage = 'data' | 'build' | 'train';

export function pageOf({ path }: Pick<Problem, 'path'>): ProblemPage {
  // The weights to start from are a setting of the training.
  if (path.startsWith('model') && path !== 'model.weights') return 'build';
  return path.startsWith('data.source') || path.startsWith('data.split') || path.startsWith('data.transforms')
    ? 'data'
    : 'train';
}

/** Errors first, as the plan tells them. */
export function useProblems(): Problem[] {
  const { textProblems } = useProject();
  const plan = usePlan();
  const awaited = useProjectState(({ factsAwaited }) => factsAwaited);
  const weights = useWeightsProblem(plan);
  return known([...textProblems, ...(plan?.problems ?? []), ...(weights ? [weights] : [])], awaited);
}

/** The first that keeps a run from starting. */
export function firstError(): Problem | null {
  const { view, plan } = currentProject();
  const { factsAwaited } = useProjectState.getState();
  const problems = known([...view.textProblems, ...(plan?.problems ?? [])], factsAwaited);
  return problems.find(({ severity }) => severity === 'error') ?? null;
}

function known(problems: Problem[], awaited: boolean): Problem[] {
  return inOrder(awaited ? problems.filter((problem) => !isUnreadData(problem)) : problems);
}

/** That nothing is known of the data: no problem while it is being read. */
function isUnreadData({ code, path }: Problem): boolean {
  return code === 'MISSING_VALUE' && path === 'data.source';
}

function inOrder(problems: Problem[]): Problem[] {
  const rank = ({ severity }: Problem) => (severity === 'error' ? 0 : 1);
  return problems.sort((a, b) => rank(a) - rank(b));
}

/** Those at a place of the project or below it: `model.layers.3`. */
export function problemsAt(problems: readonly Problem[], place: string): Problem[] {
  return problems.filter(({ path }) => path === place || path.startsWith(`${place}.`));
}
