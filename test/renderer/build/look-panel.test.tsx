/** Looking inside in the Build page, on what a real session answers. @vitest-environment jsdom */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { LookOptions } from '../../../engine/contract/look.ts';
import { Looker } from '../../../engine/look/looker.ts';
import { showPage } from '../page.tsx';
import '../engine.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-look-panel-'));
process.env.GRADLOOM_CACHE = path.join(folder, 'cache');
const looker = new Looker(folder);
afterAll(async () => {
  await looker.close();
  rmSync(folder, { recursive: true, force: true });
});

const asked: LookOptions[] = [];
/** While it is one, no look is answered. */
let held: Promise<void> | null = null;
vi.mock('../../../renderer/client/client.ts', async () => {
  const { client } = await import('../engine.ts');
  type Asked = { text: string; options: LookOptions };
  const look = async ({ text, options }: Asked, { signal }: { signal: AbortSignal }) => {
    asked.push(options);
    await held;
    return looker.look({ projectText: text, baseDir: folder }, options, signal);
  };
  // In a worker elsewhere; here beside the page.
  const engine = new Proxy(client.engine, {
    get: (calls, name) => (name === 'look' ? look : Reflect.get(calls, name)),
  });
  return { ...client, engine };
});

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { edit, useProjectState } = await import('../../../renderer/state/project.ts');
const { useStackState } = await import('../../../renderer/state/stack-store.ts');

const project = (
  layers: object[],
  data: object | null = { kind: 'random', shape: [1, 6, 6], classes: 3, samples: 40 },
) =>
  JSON.stringify({
    gradloom: 1,
    name: 'made',
    data: { ...(data ? { source: data } : {}), split: { val: 0.25 } },
    model: { layers },
  });

const layers = [
  { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
  { kind: 'ReLU', name: 'Bend' },
  { kind: 'Flatten' },
  { kind: 'Repeat', times: 2, layers: [{ kind: 'Linear', out_features: 5 }] },
  { kind: 'Linear', out_features: 3 },
];

function open(text: string, address = '/build?look=train.0') {
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file: path.join(folder, 'test.gradloom.json'), text, savedText: text, revision: '1' });
  return showPage(<BuildPage />, address);
}

const inspector = () => within(screen.getByRole('complementary', { name: 'Inspector' }));
const item = (name: RegExp) => screen.getByRole('treeitem', { name });

beforeEach(() => {
  asked.length = 0;
  useStackState.setState({ folded: new Set() });
});

test('opens by its tab; with nothing selected it shows the answer as probabilities', async () => {
  const user = userEvent.setup();
  const { history } = open(project(layers), '/build');
  await user.click(inspector().getByRole('tab', { name: 'Look inside' }));
  expect(history.at(-1)).toContain('look=train.0');
  const answer = within(await inspector().findByRole('list', { name: 'Probabilities of the classes' }));
  const shares = answer
    .getAllByRole('listitem')
    .map(({ textContent }) => Number(/([\d.]+) %/.exec(textContent?.slice(1) ?? '')?.[1]));
  expect(shares).toHaveLength(3);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 0);
  expect(answer.getAllByText('label')).toHaveLength(1);
  await user.click(inspector().getByRole('tab', { name: 'Settings' }));
  expect(history.at(-1)).not.toContain('look');
});

test('goes along with the selection: maps that can be enlarged, then a layer that is repeated', async () => {
  const user = userEvent.setup();
  open(project(layers));
  await user.click(item(/^Convolution 2D/));
  const maps = within(await inspector().findByRole('list', { name: 'Feature maps' }));
  expect(maps.getAllByRole('button')).toHaveLength(4);
  expect(inspector().getByText('4 maps of 4×4')).toBeTruthy();
  await user.keyboard('{ArrowDown}');
  await inspector().findByRole('heading', { name: 'Bend' });
  await waitFor(() => expect(asked.at(-1)?.layers).toEqual(['input', '1']));
  await user.click(await inspector().findByRole('button', { name: 'Channel 2, enlarge' }));
  const dialog = await screen.findByRole('dialog', { name: 'Channel 2 of Bend' });
  await user.click(within(dialog).getByRole('button', { name: 'Next channel' }));
  await screen.findByRole('dialog', { name: 'Channel 3 of Bend' });
  await user.keyboard('{Escape}');
  await user.click(screen.getAllByRole('treeitem', { name: /^Linear/ })[0] as HTMLElement);
  await waitFor(() => expect(asked.at(-1)?.layers).toEqual(['input', '3.0.0']));
  await user.click(inspector().getByRole('combobox', { name: 'Which of them' }));
  await user.click(await screen.findByRole('option', { name: '2 of 2: 3.1.0', hidden: true }));
  await waitFor(() => expect(asked.at(-1)?.layers).toEqual(['input', '3.1.0']));
  expect(within(await inspector().findByRole('list', { name: 'Values' })).getAllByRole('listitem')).toHaveLength(5);
});

test('a map that is enlarged leads to its neighbours by arrow keys at once', async () => {
  const user = userEvent.setup();
  open(project(layers));
  await user.click(item(/^Convolution 2D/));
  await user.click(await inspector().findByRole('button', { name: 'Channel 2, enlarge' }));
  await screen.findByRole('dialog', { name: 'Channel 2 of Conv2d' });
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Next channel'));
  await user.keyboard('{ArrowLeft}');
  await screen.findByRole('dialog', { name: 'Channel 1 of Conv2d' });
});

test('what was seen in another project goes with it', async () => {
  open(project(layers));
  await inspector().findByRole('list', { name: 'Probabilities of the classes' });
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  const text = project([{ kind: 'Flatten' }, { kind: 'Linear', out_features: 3 }]);
  act(() => useProjectState.setState({ file: path.join(folder, 'other.gradloom.json'), text, savedText: text }));
  expect(inspector().queryByRole('list', { name: 'Probabilities of the classes' })).toBeNull();
  expect(inspector().queryByRole('img')).toBeNull();
  held = null;
  release();
  await inspector().findByRole('list', { name: 'Probabilities of the classes' });
});

test('another sample and another part, up to their ends', async () => {
  const user = userEvent.setup();
  const { history } = open(project(layers), '/build?look=train.28');
  await inspector().findByText('of 30 in the training part');
  await user.click(inspector().getByRole('button', { name: 'Next sample' }));
  await waitFor(() => expect(history.at(-1)).toContain('train.29'));
  await user.click(inspector().getByRole('button', { name: 'Next sample' }));
  expect(history.at(-1)).toContain('train.29');
  await user.click(inspector().getByRole('radio', { name: 'Validation' }));
  await inspector().findByText('of 10 in the validation part');
  expect(history.at(-1)).toContain('val.0');
  expect(inspector().getByRole('radio', { name: 'Test' })).toHaveProperty('disabled', true);
});

test('follows edits, and says where a network with a problem ends', async () => {
  const user = userEvent.setup();
  open(project(layers));
  await user.click(item(/^Convolution 2D/));
  await inspector().findByText('4 maps of 4×4');
  edit([{ op: 'set', path: ['model', 'layers', 0, 'out_channels'], value: 7 }]);
  await inspector().findByText('7 maps of 4×4');
  edit([{ op: 'set', path: ['model', 'layers', 0, 'kernel_size'], value: 9 }]);
  expect(await inspector().findByText(/kernel/i, { selector: '[role=alert] *' })).toBeTruthy();
});

test('without data leads to it; of a disabled layer there is nothing to see', async () => {
  const user = userEvent.setup();
  const { history } = open(project(layers, null));
  await user.click(await inspector().findByRole('button', { name: 'Choose data' }));
  expect(history.at(-1)).toBe('/data');
  document.body.innerHTML = '';
  open(project([{ kind: 'Flatten' }, { kind: 'ReLU', disabled: true }, { kind: 'Linear', out_features: 3 }]));
  await user.click(item(/^ReLU/));
  await inspector().findByText('This layer is disabled');
});

test('Enter in the stack leads from the look to the layer’s first field', async () => {
  const user = userEvent.setup();
  const { history } = open(project(layers));
  await user.click(item(/^Convolution 2D/));
  await inspector().findByText('4 maps of 4×4');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Channels' })));
  expect(history.at(-1)).not.toContain('look');
});
