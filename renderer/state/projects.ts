/** Projects to begin with: the templates, and those that were opened lately. */
import { create } from 'zustand';
import type { RecentProject } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { TemplateCard } from '../../engine/contract/wire.ts';
import { engine } from '../client/client.ts';
import { openProject, useProjectState } from './project.ts';
import { infoOf, tellError } from './session.ts';

interface Projects {
  templates: TemplateCard[] | null;
  recent: RecentProject[] | null;
  error: ErrorInfo | null;
  /** Whether a person is asked for the name of a new empty project. */
  naming: boolean;
}

export const useProjects = create<Projects>(() => ({ templates: null, recent: null, error: null, naming: false }));

export function askForName(): void {
  useProjects.setState({ naming: true });
}

export function stopNaming(): void {
  useProjects.setState({ naming: false });
}

export async function loadProjects(): Promise<void> {
  try {
    const [templates, recent] = await Promise.all([
      useProjects.getState().templates ?? engine.projects.templates(),
      engine.projects.recent(),
    ]);
    useProjects.setState({ templates, recent, error: null });
  } catch (thrown) {
    useProjects.setState({ error: infoOf(thrown) });
  }
}

/** null: an empty project. `from`: with these data, the network fitted to them. Answers whether it is open now. */
export function createProject(template: string | null, more: { name?: string; from?: string } = {}): Promise<boolean> {
  return openProject(() => engine.projects.create({ template, ...more }));
}

/** The open project's file, or that of a new one which begins with data. null: there is none. `name`: what it is called then. */
export async function projectForData(name?: string): Promise<string | null> {
  const { file } = useProjectState.getState();
  if (file !== null) return file;
  const made = await createProject(null, name === undefined ? {} : { name });
  return made ? useProjectState.getState().file : null;
}

export function openFile(file: string): Promise<boolean> {
  return openProject(() => engine.projects.open({ file }));
}

/** A project that came as a text: a copy of it in the workspace is opened. */
export function importProject(name: string, text: string): Promise<boolean> {
  return openProject(async () => {
    const { home } = await engine.about();
    const separator = home.includes('\\') ? '\\' : '/';
    return engine.projects.saveCopy({ file: [home, 'projects', name].join(separator), text });
  });
}

export async function forgetProject(file: string): Promise<void> {
  useProjects.setState(({ recent }) => ({ recent: recent?.filter((project) => project.file !== file) ?? null }));
  await engine.projects.forget({ file }).catch(tellError);
}
