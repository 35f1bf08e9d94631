/** Fetches and imports beside what a person does meanwhile: another source, another project. @vitest-environment jsdom */
import { beforeEach, expect, test, vi } from 'vitest';

const { open, engine } = vi.hoisted(() => {
  const open: { call: string; end: (answer: unknown) => void; signal: AbortSignal }[] = [];
  const pending =
    (call: string) =>
    (_input: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((end, fail) => {
        signal.addEventListener('abort', () => fail(new Error('aborted')));
        open.push({ call, end, signal });
      });
  const engine = {
    data: { fetch: pending('fetch'), import: pending('import') },
    keep: { draft: async () => {} },
    tasks: { progress: () => new Promise(() => {}) },
  };
  return { open, engine };
});

vi.mock('../../../renderer/client/client.ts', () => ({
  engine,
  connection: { status: 'ready', onStatus: () => () => {}, ready: async () => {} },
  keepAsking: async () => {},
  retryMs: 10,
}));

const { fetchRecipe, takeSource } = await import('../../../renderer/state/data-bringing.ts');
const { importData } = await import('../../../renderer/state/data-import.ts');
const { useProjectState } = await import('../../../renderer/state/project-state.ts');
const { useSession } = await import('../../../renderer/state/session.ts');

const recipe = { name: 'mnist', title: 'MNIST' };
const source = () => JSON.parse(useProjectState.getState().text).data.source;

beforeEach(() => {
  open.length = 0;
  useSession.setState({ toasts: [] });
  useProjectState.setState({ file: '/projects/a.json', text: '{"gradloom": 1, "data": {}, "model": {"layers": []}}' });
});

test('what was fetched becomes the source that was waited for', async () => {
  const fetched = fetchRecipe(recipe);
  open[0]?.end({ source: { kind: 'idx', path: '/projects/mnist' }, folder: '/projects/mnist' });
  expect(await fetched).toBe(true);
  expect(source()).toEqual({ kind: 'idx', path: 'mnist' });
});

test('a source that was chosen meanwhile stays, and what was fetched is offered', async () => {
  const fetched = fetchRecipe(recipe);
  takeSource({ kind: 'toy', shape: 'moons' });
  open[0]?.end({ source: { kind: 'idx', path: '/projects/mnist' }, folder: '/projects/mnist' });
  expect(await fetched).toBe(false);
  expect(source().kind).toBe('toy');
  const [toast] = useSession.getState().toasts;
  expect(toast?.message).toBe('MNIST is in the workspace');
  toast?.action?.run();
  expect(source().kind).toBe('idx');
});

test("another project's import ends none", () => {
  void importData('a');
  useProjectState.setState({ file: '/projects/b.json' });
  void importData('b');
  expect(open.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  void importData('c');
  expect(open.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
});
