/** The stack's picture in the page: folded blocks, bars on one scale, close rows, the overview's place. @vitest-environment jsdom */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { showPage } from '../page.tsx';
import { textWith } from './projects.ts';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { currentProject, useProjectState } = await import('../../../renderer/state/project.ts');
const { useStackState } = await import('../../../renderer/state/stack-store.ts');
const { count } = await import('../../../renderer/ui/index.ts');

const conv = { kind: 'Conv2d', out_channels: 8, kernel_size: 3, padding: 1 };
const unit = [conv, { kind: 'BatchNorm2d' }, { kind: 'ReLU' }];
const layers = [
  { kind: 'Repeat', times: 4, layers: [...unit, ...unit] },
  { kind: 'Flatten' },
  { kind: 'Linear', out_features: 4 },
];

function open(text = textWith(layers), file = 'test.gradloom.json') {
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file, text, savedText: text, revision: '1' });
  return showPage(<BuildPage />, '/build');
}

const item = (name: RegExp) => screen.getByRole('treeitem', { name });
const toggle = () => screen.getByRole('button', { name: 'Compact rows' });
/** A bar's length by its row's place: parameters, operations, memory. */
const bars = (card: HTMLElement) =>
  [...card.querySelectorAll('svg[width="56"] rect:nth-of-type(2)')].map((bar) => Number(bar.getAttribute('width')));

beforeEach(() => {
  localStorage.clear();
  useStackState.setState({ folded: new Set() });
});

test('a folded block says what it holds, what that has in parameters, and what becomes of the tensor', async () => {
  const user = userEvent.setup();
  open();
  await user.click(screen.getByRole('button', { name: 'Fold Repeat' }));
  const block = item(/^Repeat/);
  const parameters = currentProject().plan?.layers[0]?.parameters ?? 0;
  expect(block.textContent).toContain('Conv2d · BatchNorm2d · ReLU ×2');
  expect(block.textContent).toContain(`${count(parameters)} parameters`);
  expect(block.textContent).toContain('3×8×8 → 8×8×8');
  expect(block.getAttribute('aria-expanded')).toBe('false');
});

test('bars are on one scale: the block that is the sum of its insides has the longest, an open one has none', async () => {
  const user = userEvent.setup();
  open();
  expect(bars(item(/^Repeat/))).toEqual([]);
  // A convolution of a repetition counts each time that it is there.
  const shown = screen.getAllByRole('treeitem').flatMap((card) => bars(card).slice(0, 1));
  expect(Math.max(...shown)).toBe(56);
  await user.click(screen.getByRole('button', { name: 'Fold Repeat' }));
  const { layers: planned = [] } = currentProject().plan ?? {};
  const [block, , linear] = planned;
  const [blockBar = 0] = bars(item(/^Repeat/));
  const [linearBar = 0] = bars(item(/^Linear/));
  expect(blockBar).toBe(56);
  expect(linearBar / blockBar).toBeCloseTo((linear?.parameters ?? 0) / (block?.parameters ?? 1), 5);
});

test('rows stand close by themselves in a network of many layers, and as was chosen from then on', async () => {
  const user = userEvent.setup();
  const many = textWith([...Array.from({ length: 15 }, () => unit).flat(), { kind: 'Flatten' }]);
  const first = open(many, 'many.gradloom.json');
  expect(toggle().getAttribute('aria-pressed')).toBe('true');
  // The shape stands in the card: its ribbon has no room for words.
  expect(within(item(/^Flatten/)).getByText('512')).toBeTruthy();
  await user.click(toggle());
  expect(toggle().getAttribute('aria-pressed')).toBe('false');
  first.unmount();
  const again = open(many, 'again.gradloom.json');
  expect(toggle().getAttribute('aria-pressed')).toBe('false');
  again.unmount();
  localStorage.clear();
  open();
  expect(toggle().getAttribute('aria-pressed')).toBe('false');
});

test('layers that are added leave the rows as they are', () => {
  open();
  const text = textWith([...Array.from({ length: 20 }, () => unit).flat(), { kind: 'Flatten' }]);
  useProjectState.setState({ text });
  expect(toggle().getAttribute('aria-pressed')).toBe('false');
});

test('the overview is a picture for the pointer alone', () => {
  const { container } = open();
  const strip = container.querySelector('canvas')?.parentElement;
  expect(strip?.getAttribute('aria-hidden')).toBe('true');
  expect(strip?.querySelector('[tabindex], button, a')).toBeNull();
});
