/** Memory measured beside the estimate, against the engine. @vitest-environment jsdom */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { learnMemory, networkKey } from '../../../engine/finders/measure-store.ts';
import { client } from '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { MeasuredMemory } = await import('../../../renderer/project-parts/measured-memory.tsx');
const { momentWords } = await import('../../../renderer/project-parts/memory-parts.tsx');
const { bytes } = await import('../../../renderer/ui/index.ts');
const { ModelInspector } = await import('../../../renderer/build/inspect-model.tsx');
const { LayerNumbers } = await import('../../../renderer/build/layer-numbers.tsx');
const { default: TrainPage } = await import('../../../renderer/train/train-page.tsx');
const { useDevices } = await import('../../../renderer/state/devices.ts');
const { stackView } = await import('../../../renderer/state/stack-rows.ts');
const { closeProject, currentProject, openProject, useProjectState } = await import(
  '../../../renderer/state/project.ts'
);

const mebibyte = 2 ** 20;
/** As large as the template's, about. */
const other = { device: 'cpu', network: 'another', batch_size: 8, estimated: 4 * mebibyte, measured: 4.4 * mebibyte };

beforeEach(async () => {
  await closeProject();
  await openProject(() => client.engine.projects.create({ template: 'digits-mlp' }));
});

const said = () => screen.getByRole('status').textContent;

test('what was measured of other networks corrects the estimate, and of this one the more', async () => {
  const shown = showPage(<MeasuredMemory estimated={100 * mebibyte} ready />);
  expect(said()).toBe('Not measured on this device yet.');
  shown.unmount();
  await learnMemory(other);
  const { text } = useProjectState.getState();
  useProjectState.setState({ text: text.replace('"epochs": 10', '"epochs": 11') });
  showPage(<MeasuredMemory estimated={100 * mebibyte} ready />);
  await waitFor(() => expect(said()).toMatch(/^Expect 110\.0 MiB on cpu, within 13 %: 1 other network measured/));
  const { plan } = currentProject();
  if (!plan) throw new Error('no plan');
  await learnMemory({ ...other, network: networkKey(plan), batch_size: 256, measured: 3.8 * mebibyte });
  useProjectState.setState({ text });
  await waitFor(() => expect(said()).toMatch(/^Expect 95\.0 MiB on cpu, within 3 %: this network was measured there/));
  expect(screen.getByRole('button', { name: 'Measure again' })).toBeTruthy();
});

test('a measurement that fails says why; a network with problems is not measured', async () => {
  const shown = showPage(<MeasuredMemory estimated={mebibyte} ready={false} />);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Measure/ }).disabled).toBe(true);
  shown.unmount();
  showPage(<MeasuredMemory estimated={mebibyte} ready />);
  await userEvent.click(screen.getByRole('button', { name: /^Measure/ }));
  expect((await screen.findByRole('alert')).textContent).toContain('no workers in this test');
});

/** The data's facts come after the project. */
async function plannedWithData() {
  await waitFor(() => expect(currentProject().plan?.output).toEqual([10]));
  const { plan } = currentProject();
  if (!plan) throw new Error('no plan');
  return plan;
}

test('once measured, the measured figure is the headline, on Build and on Train; the parts stay estimated', async () => {
  const plan = await plannedWithData();
  const network = networkKey(plan);
  const estimated = plan.memory.total;
  const device = { name: 'cpu', half: [], memory_total: 2 ** 34, memory_free: 2 ** 33 };
  const host = { cpu: 'A processor', cores: 2, memory_total: 2 ** 34, memory_free: 2 ** 33 };
  useDevices.setState({ report: { devices: [device], host } as never });
  await learnMemory({ ...other, network, batch_size: 256, estimated, measured: 2 * estimated });
  const { text } = useProjectState.getState();
  useProjectState.setState({ text: text.replace('"epochs": 10', '"epochs": 12') });
  const build = showPage(<ModelInspector />);
  const measured = bytes(2 * estimated);
  await waitFor(() => expect(said()).toContain(`Expect ${measured} on cpu`));
  const headline = screen.getByRole('meter', { name: 'Measured, batches of 256' });
  expect(headline.getAttribute('aria-valuetext')).toBe(`${measured} of ${bytes(2 ** 33)}`);
  expect(screen.getByText(/^Estimated parts at the fullest moment: validation, at/)).toBeTruthy();
  build.unmount();
  showPage(<TrainPage />);
  const side = within(screen.getByRole('complementary', { name: 'Before you start' }));
  expect(await side.findByRole('meter', { name: 'Measured, batches of 256' })).toBeTruthy();
  expect(side.getByText(/^Estimated parts at the fullest moment/)).toBeTruthy();
});

test('a moment is told in words; of a layer inside a repetition the formulas end with what the figures say', async () => {
  await plannedWithData();
  expect([
    momentWords({ phase: 'backward', path: '3', parts: {} as never }),
    momentWords({ phase: 'forward', path: null, parts: {} as never }),
    momentWords({ phase: 'backward', path: null, parts: {} as never }),
    momentWords({ phase: 'update', path: null, parts: {} as never }),
  ]).toEqual(['the backward pass', 'the forward pass, at the loss', 'the backward pass', 'the update of the weights']);
  const project = JSON.parse(useProjectState.getState().text);
  const inside = [{ kind: 'Linear', out_features: 8 }];
  project.model.layers = [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 8 }];
  project.model.layers.push({ kind: 'Repeat', times: 3, layers: inside }, { kind: 'Linear', out_features: 10 });
  useProjectState.setState({ text: JSON.stringify(project) });
  const { rows } = stackView(project, currentProject().plan, [], new Set());
  const row = rows.find((one) => one.type === 'layer' && one.number?.includes('.'));
  if (row?.type !== 'layer') throw new Error('no layer inside');
  const { container } = showPage(<LayerNumbers row={row} formula={null} />);
  const text = container.textContent?.replaceAll('\u00a0', ' ');
  expect(text).toContain('together: 64 + 8 = 72, × 3 copies = 216');
  expect(text).toContain('= 128, × 3 copies = 384');
  expect(text).toContain('They are not all held at once');
});
