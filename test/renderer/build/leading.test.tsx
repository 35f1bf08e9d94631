/** What leads on from the stack and its numbers: the digits, the layer that memory is fullest at, the overview's names. @vitest-environment jsdom */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { showPage } from '../page.tsx';
import { textWith } from './projects.ts';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { PeakParts } = await import('../../../renderer/project-parts/memory-parts.tsx');
const { useProjectState } = await import('../../../renderer/state/project.ts');
const { clearSelection } = await import('../../../renderer/state/stack-store.ts');

function open(text: string) {
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file: 'test.gradloom.json', text, savedText: text, revision: '1' });
}

test('a project without data offers the digits where the stack begins', async () => {
  const project = JSON.parse(textWith([{ kind: 'Flatten' }]));
  open(JSON.stringify({ ...project, data: {} }));
  showPage(<BuildPage />, '/build');
  await userEvent.click(screen.getByRole('button', { name: 'Use the digits' }));
  await waitFor(() => expect(JSON.parse(useProjectState.getState().text).data.source?.kind).toBe('idx'));
  expect(screen.queryByRole('button', { name: 'Use the digits' })).toBeNull();
});

test('the fullest moment names its layer, also one inside a folded block, and leads to it', async () => {
  open(
    textWith([
      { kind: 'Flatten' },
      { kind: 'Residual', layers: [{ kind: 'Linear', name: 'Widest', out_features: 192 }] },
    ]),
  );
  const peak = { phase: 'backward', path: '1.layers.0', parts: { weights: 8 } } as never;
  showPage(
    <>
      <BuildPage />
      <section aria-label="Numbers">
        <PeakParts peak={peak} />
      </section>
    </>,
    '/build',
  );
  await userEvent.click(screen.getByRole('button', { name: 'Fold Residual' }));
  clearSelection();
  await userEvent.click(
    within(screen.getByRole('region', { name: 'Numbers' })).getByRole('button', { name: 'Widest' }),
  );
  expect(screen.getByRole('treeitem', { name: /^Widest/ }).getAttribute('aria-selected')).toBe('true');
});

test('the overview names the layer that the pointer is at', () => {
  open(textWith([{ kind: 'Flatten', name: 'To a row' }, { kind: 'ReLU' }]));
  showPage(<BuildPage />, '/build');
  const strip = document.querySelector<HTMLElement>('[class*=strip]') as HTMLElement;
  const box = (top: number, height: number) => () => new DOMRect(0, top, 40, height);
  strip.getBoundingClientRect = box(0, 100);
  const scroller = document.querySelector<HTMLElement>('[class*=scroller]') as HTMLElement;
  Object.defineProperty(scroller, 'scrollHeight', { value: 100 });
  for (const [at, row] of [...document.querySelectorAll<HTMLElement>('[data-row]')].entries()) {
    row.getBoundingClientRect = box(at * 10, 10);
  }
  fireEvent.pointerMove(strip, { clientY: 5 });
  expect(strip.title).toBe('To a row');
  fireEvent.pointerMove(strip, { clientY: 15 });
  expect(strip.title).toBe('ReLU');
});
