/** What follows from the open project's text: the project, what is wrong with it, its plan. */
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import type { Problem } from '../../engine/contract/problems.ts';
import { type Project, readProject } from '../../engine/contract/project.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { useProjectState } from './project-state.ts';
import { infoOf } from './session.ts';
import { share } from './sharing.ts';

export interface ProjectView {
  /** null where the text is no project: then `syntax` says why. */
  project: Project | null;
  syntax: ErrorInfo | null;
  /** What only the text can tell. */
  textProblems: Problem[];
}

let viewed: { text: string; view: ProjectView } = {
  text: '',
  view: { project: null, syntax: null, textProblems: [] },
};

export function viewOf(text: string): ProjectView {
  if (viewed.text === text) return viewed.view;
  let view: ProjectView;
  try {
    const { project, problems } = readProject(text);
    const [notAProject] = project ? [] : problems;
    view = {
      project: share(viewed.view.project, project),
      syntax: notAProject ? { code: 'PROJECT_SYNTAX', message: notAProject.message, hint: notAProject.hint } : null,
      textProblems: problems,
    };
  } catch (thrown) {
    view = { project: null, syntax: infoOf(thrown), textProblems: [] };
  }
  viewed = { text, view };
  return view;
}

let planned: { project: Project | null; facts: DataFacts | null; plan: Plan | null } = {
  project: null,
  facts: null,
  plan: null,
};

function planOf(project: Project | null, facts: DataFacts | null): Plan | null {
  if (planned.project === project && planned.facts === facts) return planned.plan;
  planned = { project, facts, plan: project && planProject(project, facts) };
  return planned.plan;
}

export function useProject(): ProjectView {
  return useProjectState(({ text }) => viewOf(text));
}

/** Of the open project with what is known of its data; null where there is no project to plan. */
export function usePlan(): Plan | null {
  return useProjectState(({ text, facts }) => planOf(viewOf(text).project, facts));
}

export function currentProject(): { view: ProjectView; plan: Plan | null } {
  const { text, facts } = useProjectState.getState();
  const view = viewOf(text);
  return { view, plan: planOf(view.project, facts) };
}
