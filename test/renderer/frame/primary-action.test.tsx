/** The primary button while runs of this and of other projects go on. @vitest-environment jsdom */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { RunRow } from '../../../engine/contract/api.ts';
import { home } from '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { PrimaryAction } = await import('../../../renderer/frame/primary-action.tsx');
const { closeProject } = await import('../../../renderer/state/project.ts');
const { openFile } = await import('../../../renderer/state/projects.ts');
const { isOf, useRuns } = await import('../../../renderer/state/runs.ts');

const run = (name: string, project: string, status: RunRow['status'] = 'running'): RunRow => ({
  name,
  folder: `/runs/${name}`,
  status,
  summary: { name: project } as RunRow['summary'],
  notes: '',
});

/** A project called "mine" that can be trained. */
async function openMine(): Promise<void> {
  const file = path.join(home, `mine-${Math.random()}.gradloom.json`);
  const project = {
    gradloom: 1,
    name: 'mine',
    data: { source: { kind: 'random', shape: [4], classes: 2, samples: 64 } },
    model: { layers: [{ kind: 'Linear', out_features: 2 }] },
  };
  writeFileSync(file, JSON.stringify(project));
  expect(await openFile(file)).toBe(true);
}

const runs = (...list: RunRow[]) => act(() => useRuns.setState({ list, pending: {} }));
const button = () => screen.getByRole('button');

beforeEach(async () => {
  await closeProject();
  runs();
});

test('a run of this project is paused and continued', async () => {
  await openMine();
  showPage(<PrimaryAction />);
  runs(run('other-001', 'other'), run('mine-001', 'mine'));
  expect(button().textContent).toBe('Pause');
  expect(button().title).toBe('Pause mine-001');
  runs(run('mine-001', 'mine', 'paused'));
  expect(button().title).toBe('Continue mine-001');
});

test('another project’s run leaves Train what this project’s button does, and is told', async () => {
  await openMine();
  showPage(<PrimaryAction />);
  runs(run('other-001', 'other'));
  expect(button().textContent).toBe('Train');
  expect(button().title).toBe(
    'Start a run of this project. other-001, of another project, goes on beside it: each slows the other down',
  );
  // Once the data is known.
  await waitFor(() => expect(button().hasAttribute('disabled')).toBe(false));
});

test('on the page of a run the button is that run’s, and so it is where no project is open', async () => {
  await openMine();
  showPage(<PrimaryAction />, '/runs/other-001/monitor');
  runs(run('mine-001', 'mine'), run('other-001', 'other'));
  expect(button().title).toBe('Pause other-001');
  await act(() => closeProject());
  document.body.replaceChildren();
  showPage(<PrimaryAction />);
  expect(button().title).toMatch(/^Pause (mine|other)-001$/);
});

test('a run that has no summary yet is told by its name', () => {
  const young = { name: 'my-net-1-002', summary: null };
  expect(isOf(young, 'my net/1')).toBe(true);
  expect(isOf(young, 'my-net')).toBe(false);
  expect(isOf({ name: 'run-001', summary: null }, '***')).toBe(true);
});
