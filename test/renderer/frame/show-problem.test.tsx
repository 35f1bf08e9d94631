/** From the button and the status line to what mends a problem. @vitest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { textWith } from '../build/projects.ts';
import { showPage } from '../page.tsx';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { PrimaryAction } = await import('../../../renderer/frame/primary-action.tsx');
const { StatusLine } = await import('../../../renderer/frame/status-line.tsx');
const { useProjectState } = await import('../../../renderer/state/project.ts');

function Window() {
  return (
    <>
      <PrimaryAction />
      <BuildPage />
      <StatusLine />
    </>
  );
}

test('the layer is shown, out of a folded block too, and Enter applies the fix', async () => {
  const user = userEvent.setup();
  const residual = { kind: 'Residual', layers: [{ kind: 'Linear', out_features: 9 }] };
  const text = textWith([
    { kind: 'Flatten' },
    { kind: 'Linear', out_features: 8 },
    residual,
    { kind: 'Linear', out_features: 4 },
  ]);
  useProjectState.setState({ file: 'test.gradloom.json', text, savedText: text, revision: '1' });
  showPage(<Window />, '/build');
  expect(screen.getByRole('button', { name: /^[0-9]+ problem/ }).textContent).toBe('1 problem');
  await user.click(screen.getByRole('button', { name: 'Fold Residual' }));
  await user.click(screen.getByRole('button', { name: 'Fix 1 problem' }));
  await waitFor(() => expect(document.activeElement?.closest('[data-problem-at]') !== null).toBe(true));
  expect(document.activeElement?.tagName).toBe('BUTTON');
  expect(screen.getAllByRole('treeitem', { selected: true })).toHaveLength(1);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Fix/ }) === null).toBe(true));
});
