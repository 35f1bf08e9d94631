/** Networks fitted to data: templates with data of one's own, and the open project's network with its data. */
import { create } from 'zustand';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { type Fit, fitProject } from '../../engine/contract/fit.ts';
import { type GivenData, networkReplaced, type Template, templateWith } from '../../engine/contract/fit-data.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { type Project, readProject } from '../../engine/contract/project.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import type { TemplateCard } from '../../engine/contract/wire.ts';
import { engine } from '../client/client.ts';
import { edit } from './project.ts';
import { infoOf, tell } from './session.ts';

/** Data that templates are shown with, in place of their own. */
export interface ChosenData {
  /** A project file, or a folder. */
  from: string;
  /** What a person calls it. */
  label: string;
  /** null while it is read, or where it could not be. */
  given: GivenData | null;
  error: ErrorInfo | null;
}

export const useChosenData = create<{ data: ChosenData | null }>(() => ({ data: null }));

/** null: each template has its own. */
export async function chooseData(choice: Pick<ChosenData, 'from' | 'label'> | null): Promise<void> {
  const data = choice && { ...choice, given: null, error: null };
  useChosenData.setState({ data });
  if (!data) return;
  const settle = (more: Partial<ChosenData>) => {
    if (useChosenData.getState().data === data) useChosenData.setState({ data: { ...data, ...more } });
  };
  try {
    settle({ given: await engine.projects.dataAt({ from: data.from }) });
  } catch (thrown) {
    settle({ error: infoOf(thrown) });
  }
}

interface Known extends Template {
  plan: Plan;
}

/** Templates stay what they are for as long as the window lives. */
const templates = new WeakMap<TemplateCard, Known>();

export function templateOf(card: TemplateCard): Known {
  const known = templates.get(card);
  if (known) return known;
  const project = readProject(card.text).project ?? {};
  const made = { project, facts: card.facts, plan: planProject(project, card.facts) };
  templates.set(card, made);
  return made;
}

const fits = new WeakMap<GivenData, Map<TemplateCard, Fit>>();

export function templateFit(card: TemplateCard, given: GivenData): Fit {
  const known = fits.get(given) ?? new Map<TemplateCard, Fit>();
  fits.set(given, known);
  const fit = known.get(card) ?? templateWith(templateOf(card), given);
  known.set(card, fit);
  return fit;
}

let networkFitted: { project: Project; facts: DataFacts; fit: Fit } | null = null;

/** The open project's network with its data; calculated once for each state of both. */
export function networkFit(project: Project, facts: DataFacts): Fit {
  if (networkFitted?.project !== project || networkFitted.facts !== facts) {
    networkFitted = { project, facts, fit: fitProject(project, facts) };
  }
  return networkFitted.fit;
}

export const replacementFit = (project: Project, facts: DataFacts, card: TemplateCard): Fit =>
  networkReplaced(project, facts, templateOf(card));

/** Which dialog about the open project's network is open. */
export const useFitting = create<{ open: 'fit' | 'replace' | null }>(() => ({ open: null }));

export const openFitting = (open: 'fit' | 'replace' | null): void => useFitting.setState({ open });

/** One step of undo. */
export function applyNetwork({ edits }: Fit, message: string): void {
  if (edit(edits)) tell({ tone: 'info', message, hint: 'Undo takes it back in one step.' });
}
