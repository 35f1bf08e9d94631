/** Undo while a field has the keyboard. @vitest-environment jsdom */
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { textWith } from '../build/projects.ts';
import { showPage } from '../page.tsx';
import '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: BuildPage } = await import('../../../renderer/build/build-page.tsx');
const { useShortcuts } = await import('../../../renderer/frame/shortcuts.tsx');
const { edit, useProjectState } = await import('../../../renderer/state/project.ts');

function Host() {
  return (
    <>
      {useShortcuts()}
      <BuildPage />
    </>
  );
}

const layer = () => JSON.parse(useProjectState.getState().text).model.layers[0];

test('is the project’s in a field whose value is the project’s, and takes back what is no value yet before', async () => {
  const user = userEvent.setup();
  const text = textWith([{ kind: 'Linear', out_features: 16 }]);
  useProjectState.setState({ file: 'test.gradloom.json', text, savedText: text, revision: '1' });
  useProjectState.temporal.getState().clear();
  showPage(<Host />, '/build');
  await user.click(screen.getByRole('treeitem', { name: /^Linear|^Dense/ }));
  const outputs = screen.getByRole<HTMLInputElement>('textbox', { name: 'Outputs' });
  await user.click(outputs);
  await user.keyboard('64');
  expect(layer().out_features).toBe(64);
  // Another window's change comes between: it is the last step now, and stays nobody's digits.
  edit([{ op: 'set', path: ['model', 'layers', 0, 'note'], value: 'theirs' }]);
  await user.keyboard('x');
  expect(outputs.value).toBe('64x');
  await user.keyboard('{Control>}z{/Control}');
  expect(outputs.value).toBe('64');
  expect(layer()).toMatchObject({ out_features: 64, note: 'theirs' });
  await user.keyboard('{Control>}z{/Control}');
  expect(layer()).toEqual({ kind: 'Linear', out_features: 64 });
  await user.keyboard('{Control>}z{/Control}');
  expect(layer().out_features).toBe(16);
  expect(outputs.value).toBe('16');
});
