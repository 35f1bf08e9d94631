/** Starting points: a template fitted to the data of another project and trained; the network as code, selected both ways. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { go, openTemplate, projectOf, quick, saved, writeProject } from './actions.ts';
import { axeFaults } from './axe.ts';
import { noBrowser, useStudio } from './studio.ts';

describe.skipIf(noBrowser)('starting points', () => {
  const studio = useStudio();

  /** Four classes of small colour images, as another program would have made them. */
  function colours(name: string): string {
    const project = quick(name) as { data: { source: object } };
    const source = { kind: 'random', shape: [3, 16, 16], classes: 4, samples: 64, seed: 1 };
    return writeProject(studio, name, { ...project, data: { ...project.data, source, loader: { batch_size: 32 } } });
  }

  test('a template with the data of a project: found, looked at, made, trained', async () => {
    const file = colours('my colours');
    const opened = await studio.open(`#/build?project=${encodeURIComponent(file)}`);
    await saved(opened);
    await go(opened, 'Home');
    await opened.getByRole('button', { name: 'Use with my data…' }).click();
    await opened.getByRole('menuitem', { name: 'my colours' }).click();
    await opened.getByText(/^my colours: 3×16×16, one of 4 classes/).waitFor();
    await opened.getByRole('searchbox', { name: 'Search templates' }).fill('convolutional wherever');
    await opened.getByRole('button', { name: 'New project from Digits, convolutional' }).click();
    const dialog = opened.getByRole('dialog', { name: 'Digits, convolutional with the data of my colours' });
    await dialog.getByText('Linear: out_features 10 → 4').waitFor();
    expect(await axeFaults(opened)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create project' }).click();
    await saved(opened);
    expect(projectOf(opened)).toMatchObject({ data: { source: { shape: [3, 16, 16], classes: 4 } } });

    // One batch an epoch, ten epochs.
    await opened.getByRole('button', { name: 'Train', exact: true }).click();
    await opened
      .getByText(/Completed/)
      .first()
      .waitFor({ timeout: 60_000 });
  });

  const code = (page: Page) => page.getByRole('complementary', { name: 'Network as code' });

  test('the code: opened by a key, its lines and the stack’s cards select each other, saved as a file', async () => {
    const page = await openTemplate(studio, 'LeNet-5');
    await page.getByRole('treeitem').first().waitFor();
    await page.keyboard.press('Control+j');
    await code(page).waitFor();
    // By mouse, from the code.
    await code(page).getByRole('option', { name: 'nn.Linear(120, 84),' }).click();
    const linear = page.getByRole('treeitem', { name: /^Linear.*84/ });
    await expect.poll(() => linear.getAttribute('aria-selected')).toBe('true');
    // By mouse, from the stack.
    await page.getByRole('treeitem', { name: /^Flatten/ }).click();
    const marked = code(page).getByRole('option', { selected: true });
    await expect.poll(() => marked.allTextContents()).toEqual(['    nn.Flatten(),\n']);
    expect(await marked.first().isVisible()).toBe(true);
    // By keys.
    await code(page).getByRole('listbox').press('ArrowDown');
    await expect.poll(() => linear.getAttribute('aria-selected')).toBe('true');
    expect(await axeFaults(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await code(page).getByRole('button', { name: 'Save as a Python file' }).click();
    const saving = await download;
    expect(saving.suggestedFilename()).toBe('lenet-5.py');
    expect(readFileSync(await saving.path(), 'utf8')).toMatch(/^import torch[\s\S]*nn\.Linear\(84, 10\),\n\)\n$/);
    await page.reload();
    await code(page).waitFor();
    await page.keyboard.press('Control+j');
    await code(page).waitFor({ state: 'detached' });
  });
});
