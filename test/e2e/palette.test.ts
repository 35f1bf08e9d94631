/** The palette with all kinds of layers: found by plain words, kept in order by groups, by keyboard and by mouse. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { go, openTemplate } from './actions.ts';
import { axeFaults } from './axe.ts';
import { noBrowser, useStudio } from './studio.ts';

const palette = (page: Page) => page.getByRole('region', { name: 'Layer palette' });
const option = (page: Page, name: RegExp) => palette(page).getByRole('option', { name });
const layers = (page: Page) => page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');

describe.skipIf(noBrowser)('the palette', () => {
  const studio = useStudio();

  test('has groups that close, rarer kinds on demand, and remembers both', async () => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    await go(page, 'Build');
    await option(page, /^ReLU/).first().waitFor();
    expect(await option(page, /^Tanhshrink/).count()).toBe(0);
    await option(page, /^\d+ more of Activation/).click();
    await option(page, /^Tanhshrink/).waitFor();
    await option(page, /^Close Pooling/).click();
    expect(await option(page, /^MaxPool2d/).count()).toBe(0);
    await page.reload();
    await option(page, /^Tanhshrink/).waitFor();
    await option(page, /^Open Pooling \d+ kinds/).waitFor();

    // By keyboard: up from the first kind to its group's heading, which Enter closes.
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await option(page, /^Open Dense/).waitFor();
    expect(await option(page, /^Linear/).count()).toBe(0);
    // What is hidden is found all the same.
    await page.keyboard.type('fully connected');
    await option(page, /^Linear/).waitFor();
    const before = await layers(page).count();
    await page.keyboard.press('Enter');
    await expect.poll(() => layers(page).count()).toBe(before + 1);
    expect(await axeFaults(page)).toEqual([]);
  });

  test('offers one, two and three dimensions side by side, adds the one that fits, and tells what each is', async () => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    await go(page, 'Build');
    const chip = option(page, /^BatchNorm2d/).first();
    await chip.hover();
    await page.getByText('BatchNorm2d', { exact: true }).last().waitFor();
    expect(await chip.getAttribute('data-fitting')).toBeNull();
    await layers(page).first().click();
    await expect.poll(() => chip.getAttribute('data-fitting')).toBe('true');
    const before = await layers(page).count();
    // On the family's name: the one for images, since an image comes in there.
    await palette(page).getByText('BatchNorm', { exact: true }).click();
    await expect.poll(() => layers(page).count()).toBe(before + 1);
    expect(await layers(page).nth(1).textContent()).toContain('BatchNorm2d');
    await page.getByRole('button', { name: 'Train', exact: true }).waitFor();
    // A whole name is that kind, fitting or not: its problem says what would fit.
    await page.keyboard.press('/');
    await page.keyboard.type('conv1d');
    await page.keyboard.press('Enter');
    await expect.poll(() => layers(page).count()).toBe(before + 2);
    expect(await layers(page).nth(2).textContent()).toContain('Conv1d');
    await layers(page).nth(2).getByRole('button', { name: 'Use Conv2d' }).click();
    // Nothing moves under the pointer: what was used is told once it has left.
    await palette(page).getByRole('group', { name: 'Recently used' }).getByText('Conv1d').waitFor();
    await page.getByRole('button', { name: 'Train', exact: true }).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFaults(page)).toEqual([]);
  });
});
