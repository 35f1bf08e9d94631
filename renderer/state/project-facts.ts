/** What the open project's data source says of itself: read anew when the source changes. */
import { connection, engine, retryMs } from '../client/client.ts';
import { useProjectState } from './project-state.ts';
import { viewOf } from './project-view.ts';
import { infoOf } from './session.ts';

let factsFor = '';

export async function refreshFacts(): Promise<void> {
  const { file, text } = useProjectState.getState();
  const { source, split } = (viewOf(text).project?.data ?? {}) as { source?: unknown; split?: unknown };
  const key = JSON.stringify([file, source, split]);
  if (key === factsFor) return;
  factsFor = key;
  if (file === null || typeof source !== 'object' || source === null || Array.isArray(source)) {
    useProjectState.setState({ facts: null, factsError: null, factsAwaited: false });
    return;
  }
  useProjectState.setState(({ facts }) => ({ factsAwaited: facts === null }));
  try {
    const { facts } = await engine.data.preview({
      file,
      source: source as Record<string, unknown>,
      split,
      transforms: [],
      part: 'train',
      start: 0,
      count: 0,
    });
    if (factsFor === key) useProjectState.setState({ facts, factsError: null, factsAwaited: false });
  } catch (thrown) {
    if (factsFor !== key) return;
    const error = infoOf(thrown);
    // The next call waits until the engine is there again; one that is just ending refuses it.
    if (error.code === 'CLOSED' && connection.status !== 'unauthorised') return void setTimeout(readDataAgain, retryMs);
    useProjectState.setState({ facts: null, factsError: error, factsAwaited: false });
  }
}

/** Asks again, after the files were put where the project says. */
export function readDataAgain(): void {
  factsFor = '';
  void refreshFacts();
}
