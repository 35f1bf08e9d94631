/** Memory measured beside the estimate, against the engine. @vitest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { learnMemory, networkKey } from '../../../engine/finders/measure-store.ts';
import { client } from '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { MeasuredMemory } = await import('../../../renderer/project-parts/measured-memory.tsx');
const { closeProject, currentProject, openProject, useProjectState } = await import(
  '../../../renderer/state/project.ts'
);

const mebibyte = 2 ** 20;
const other = { device: 'cpu', network: 'another', batch_size: 8, estimated: 100, measured: 110 };

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
  await waitFor(() => expect(said()).toMatch(/^Expect 110\.0 MiB on cpu, within 10 %: 1 other network measured/));
  const { plan } = currentProject();
  if (!plan) throw new Error('no plan');
  await learnMemory({ ...other, network: networkKey(plan), batch_size: 256, measured: 95 });
  useProjectState.setState({ text });
  await waitFor(() => expect(said()).toMatch(/^Expect 95\.0 MiB on cpu, within 5 %: this network was measured there/));
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
