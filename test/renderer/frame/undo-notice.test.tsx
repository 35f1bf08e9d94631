/** Undo of what another page shows. @vitest-environment jsdom */
import { act } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { setEdit } from '../../../engine/contract/report.ts';
import { showPage } from '../page.tsx';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { useUndoNotice } = await import('../../../renderer/frame/undo-notice.ts');
const { edit, undo, redo, useProjectState } = await import('../../../renderer/state/project.ts');
const { useSession } = await import('../../../renderer/state/session.ts');

function Frame() {
  useUndoNotice();
  return null;
}

const told = () => useSession.getState().toasts.map(({ message, hint }) => `${message}: ${hint}`);

beforeEach(() => {
  const text = '{ "gradloom": 1, "model": { "layers": [] }, "training": { "epochs": 3 } }';
  useProjectState.setState({ file: null, text: '' });
  useProjectState.setState({ file: 'a.gradloom.json', text, savedText: text });
  useProjectState.temporal.getState().clear();
  useSession.setState({ toasts: [] });
});

test('is told, the last one only, with the way to it', async () => {
  const { history } = showPage(<Frame />, '/build');
  edit([setEdit(['training', 'epochs'], 4)]);
  edit([setEdit(['training', 'seed'], 1)]);
  await act(async () => undo());
  await act(async () => undo());
  expect(told()).toEqual(['Undone on the page Train: training.epochs']);
  await act(async () => redo());
  expect(told().at(-1)).toBe('Redone on the page Train: training.epochs');
  await act(async () => useSession.getState().toasts.at(-1)?.action?.run());
  expect(history.at(-1)).toBe('/train');
});

test('is not told of what is in sight', async () => {
  showPage(<Frame />, '/build');
  edit([setEdit(['model', 'layers'], [{ kind: 'ReLU' }])]);
  await act(async () => undo());
  expect(told()).toEqual([]);
});
