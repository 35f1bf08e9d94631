/** A run steered while it goes on: snapshots, another learning rate, another last epoch; one that stops being finite; one that trains longer. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { openProject, projectOf, quick, toast, writeProject } from './actions.ts';
import { noBrowser, type Studio, useStudio } from './studio.ts';

const isLive = (status: string) => ['queued', 'preparing', 'running', 'paused'].includes(status);
const primary = (page: Page, name: string) => page.getByRole('banner').getByRole('button', { name, exact: true });
const state = (page: Page, words: string) => page.getByRole('main').getByText(words, { exact: true }).first();
const events = (page: Page) => page.getByRole('list', { name: 'Events, the newest first' });

async function trained(studio: Studio, name: string, training: object): Promise<Page> {
  const page = await openProject(studio, writeProject(studio, name, quick(name, training)), 'train');
  await primary(page, 'Train').click();
  await page.waitForURL(/\/monitor/, { waitUntil: 'commit' });
  return page;
}

async function adjust(page: Page, item: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Adjust' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe.skipIf(noBrowser)('a run', () => {
  const studio = useStudio();

  // A run that a failed test has left would take the button that the next one needs.
  afterEach(async () => {
    if (noBrowser) return;
    const engine = await studio.engine();
    const { runs } = await engine.runs.watch({});
    for (const { folder, status } of runs) {
      if (isLive(status)) await engine.runs.act({ run: folder, action: 'stop' });
    }
  });

  test('takes a snapshot and another learning rate while it goes on, and both are marked', async () => {
    const page = await trained(studio, 'steered', { epochs: 100_000, schedule: { kind: 'ConstantLR', factor: 1 } });
    await page.getByRole('img', { name: /^Loss, from 1 to/ }).waitFor({ timeout: 30_000 });
    await adjust(page, /^Snapshot/);
    await toast(page, /^Snapshot of steered-001/).waitFor();
    await events(page)
      .getByText(/snapshot/)
      .first()
      .waitFor();

    await adjust(page, /^Learning rate/);
    const dialog = page.getByRole('dialog', { name: 'Adjust steered-001' });
    const rate = dialog.getByRole('textbox', { name: 'Learning rate' });
    expect(await rate.getAttribute('placeholder')).toBe('0.01 now');
    await rate.fill('fast');
    expect(await dialog.getByRole('button', { name: 'Change', exact: true }).isDisabled()).toBe(true);
    await rate.fill('0.0005');
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await events(page)
      .getByText(/learning rate 0\.01 → 0\.0005/)
      .waitFor();
    await expect
      .poll(() => page.getByRole('img', { name: /^Learning rate, from/ }).getAttribute('aria-label'))
      .toMatch(/Learning rate: last 0\.0005/);
    const engine = await studio.engine();
    const { runs } = await engine.runs.watch({});
    const run = runs.find(({ name }) => name === 'steered-001')?.folder as string;
    const { checkpoints } = await engine.runs.details({ run });
    expect(checkpoints.some(({ roles }) => roles.includes('snapshot'))).toBe(true);
  });

  test('ends at the last epoch that it is given on the way', async () => {
    const page = await trained(studio, 'shorter', { epochs: 100_000 });
    await page.getByRole('img', { name: /^Loss, from 1 to/ }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Pause' }).last().click();
    await page.getByRole('menuitem', { name: /^Pause/ }).click();
    await state(page, 'Paused').waitFor();
    const label = await page.getByText(/^Epoch [\d,]+ of 100,000/).textContent();
    const present = Number(/Epoch ([\d,]+)/.exec(label ?? '')?.[1]?.replaceAll(',', ''));
    await adjust(page, /^Learning rate/);
    const dialog = page.getByRole('dialog', { name: 'Adjust shorter-001' });
    const last = dialog.getByRole('textbox', { name: 'Last epoch' });
    await last.fill('0');
    await dialog.getByText(/^A whole number, not before epoch/).waitFor();
    await last.fill(String(present + 2));
    await last.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('main').getByRole('button', { name: 'Continue' }).click();
    await state(page, 'Completed').waitFor({ timeout: 30_000 });
    await page.getByText(`Epoch ${present + 2} of ${present + 2}`).waitFor();
  });

  test('that stops being finite tells where and with what, and goes on with what helps', async () => {
    const page = await trained(studio, 'explodes', { epochs: 3, optimizer: { kind: 'SGD', lr: 1e9 } });
    const panel = page.getByRole('region', { name: 'What went wrong' });
    await panel.getByText('First in').waitFor({ timeout: 30_000 });
    await panel.getByText(/^\d+ of 6, 50 samples of train/).waitFor();
    const remedy = panel.getByRole('listitem').filter({ hasText: /^Set the learning rate to/ });
    await remedy.getByRole('button', { name: 'Edit the project' }).click();
    await toast(page, /done in the project/).waitFor();
    await expect.poll(() => (projectOf(page).training as { optimizer: { lr: number } }).optimizer.lr).toBeLessThan(1);
    await remedy.getByRole('button', { name: 'Resume with it' }).click();
    await state(page, 'Completed').waitFor({ timeout: 30_000 });
    expect(await panel.count()).toBe(0);
  });

  test('that has ended shows what becomes of its schedule before it trains longer', async () => {
    const page = await trained(studio, 'longer', { epochs: 4, schedule: { kind: 'CosineAnnealingLR' } });
    await state(page, 'Completed').waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Train longer' }).click();
    const dialog = page.getByRole('dialog', { name: 'Train longer-001 longer' });
    await dialog.getByLabel('Epochs in all').fill('8');
    const chart = dialog.getByRole('img', { name: /^Learning rate, from 0 to/ });
    await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/Planned before: .*From now on: /);
    await dialog.getByRole('button', { name: 'Train 4 more' }).click();
    await page.getByText('Epoch 8 of 8').first().waitFor({ timeout: 30_000 });
  });

  test('tells how long early stopping has waited', async () => {
    const page = await trained(studio, 'patient', {
      epochs: 50,
      optimizer: { kind: 'SGD', lr: 0 },
      early_stopping: { patience: 3 },
    });
    await state(page, 'Completed').waitFor({ timeout: 30_000 });
    const figure = page.getByRole('region', { name: 'Progress' }).getByText('of 3 epochs without improvement');
    await figure.waitFor();
    await page.getByText('Epoch 4 of 50').waitFor();
  });
});
