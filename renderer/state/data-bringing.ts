/** Ways to new data: looking at what lies at a path, fetching a known data set; what is taken is one step of undo. */
import { useEffect, useState } from 'react';
import type { Inspection } from '../../engine/contract/data/inspect.ts';
import type { Recipe } from '../../engine/contract/data/recipes.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { Edit } from '../../engine/contract/problems.ts';
import { type JsonObject, setEdit } from '../../engine/contract/report.ts';
import { pathKeys } from '../../engine/contract/sources.ts';
import { engine } from '../client/client.ts';
import { dataKeyNow } from './data-place.ts';
import { fileName, relativeTo } from './files.ts';
import { longWork } from './long-work.ts';
import { edit, useProjectState } from './project.ts';
import { projectForData } from './projects.ts';
import { infoOf, tell } from './session.ts';

export const inspecting = longWork<{ path: string }, Inspection>((input, signal) =>
  engine.data.inspect(input, { signal }),
);

const openFile = () => useProjectState.getState().file;

/** Looks at what lies there, for the project that is open or one that begins with it. */
export async function inspectPath(path: string): Promise<void> {
  const file = openFile() ?? (await projectForData(fileName(path).replace(/\.[^.]*$/, '')));
  if (file !== null) await inspecting.start(file, { path }, path);
}

export const fetching = longWork<{ name: string }, { source: JsonObject; folder: string }>((input, signal) =>
  engine.data.fetch(input, { signal }),
);

/** Fetches a data set and makes it the open project's, unless another project or source was chosen meanwhile: then it is told and offered. */
export async function fetchRecipe({ name, title }: Pick<Recipe, 'name' | 'title'>): Promise<boolean> {
  const file = openFile() ?? (await projectForData(name));
  if (file === null) return false;
  const before = dataKeyNow().source;
  const fetched = await fetching.start(file, { name }, title);
  if (fetched === null) return false;
  if (dataKeyNow().source === before) return takeSource(fetched.source);
  tell({
    tone: 'info',
    message: `${title} is in the workspace`,
    hint: 'Other data were chosen meanwhile.',
    action: { label: 'Use it', run: () => void takeSource(fetched.source) },
  });
  return false;
}

/** null: not told yet. */
export function useRecipes(wanted: boolean): { recipes: Recipe[] | null; error: ErrorInfo | null } {
  const [state, setState] = useState<{ recipes: Recipe[] | null; error: ErrorInfo | null }>({
    recipes: null,
    error: null,
  });
  useEffect(() => {
    if (!wanted) return;
    const end = new AbortController();
    engine.data.recipes(undefined, { signal: end.signal }).then(
      (recipes) => setState({ recipes, error: null }),
      (thrown) => end.signal.aborted || setState({ recipes: null, error: infoOf(thrown) }),
    );
    return () => end.abort();
  }, [wanted]);
  return state;
}

/** Makes it the open project's source: its paths as the project writes them. */
export function takeSource(source: JsonObject): boolean {
  const { file } = useProjectState.getState();
  if (file === null) return false;
  const done = edit(sourceEdits(file, source));
  if (done) inspecting.clear();
  return done;
}

export function sourceEdits(file: string, source: JsonObject): Edit[] {
  const written = { ...source };
  for (const key of pathKeys(String(source.kind))) {
    if (typeof written[key] === 'string') written[key] = relativeTo(file, written[key]);
  }
  return [setEdit(['data', 'source'], written)];
}
