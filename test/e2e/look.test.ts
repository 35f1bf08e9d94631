/** Looking inside the network: a sample is chosen, layer after layer is seen, with random weights and with those of a finished run. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { gradloom } from '../engine/cli-process.ts';
import { command, openProject, writeProject } from './actions.ts';
import { axeFaults } from './axe.ts';
import { noBrowser, useStudio } from './studio.ts';

const project = {
  gradloom: 1,
  name: 'seen',
  data: {
    source: { kind: 'idx', path: '../data/digits' },
    split: { val: 'test', seed: 42 },
    loader: { batch_size: 200, num_workers: 0 },
  },
  model: {
    layers: [
      { kind: 'Conv2d', out_channels: 4, kernel_size: 5, stride: 2 },
      { kind: 'ReLU' },
      { kind: 'Flatten' },
      { kind: 'Linear', out_features: 10 },
    ],
  },
  training: { epochs: 1, optimizer: { kind: 'Adam', lr: 0.005 }, device: 'cpu' },
};

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const item = (page: Page, name: RegExp) =>
  page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem', { name }).first();

/** How many different colours there are on a canvas. */
const colors = (canvas: Locator) =>
  canvas.evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement;
    const bytes = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
    return new Set(Array.from({ length: bytes.length / 4 }, (_, i) => bytes.slice(4 * i, 4 * i + 3).join())).size;
  });

describe.skipIf(noBrowser)('looking inside', () => {
  const studio = useStudio();

  test('from the sample to the answer, and with the weights of a run', async () => {
    const file = writeProject(studio, 'seen', project);
    const trained = await gradloom(studio.home, ['train', file, '--json']);
    expect(trained.code).toBe(0);
    const page = await openProject(studio, file);
    await item(page, /^Convolution 2D/).waitFor();
    await command(page, 'Look inside the network');

    // The sample.
    const panel = inspector(page);
    await panel.getByText('of 8,000 in the training part').waitFor();
    await panel.getByText('Validation', { exact: true }).click();
    await panel.getByText('of 2,000 in the validation part').waitFor();
    await panel.getByRole('button', { name: 'Next sample' }).click();
    await panel.getByText('Sample 1', { exact: true }).waitFor();
    const picture = panel.getByRole('img', { name: /^The sample, \d/ });
    await expect.poll(() => colors(picture)).toBeGreaterThan(5);
    expect(page.url()).toContain('look=val.1');

    // Its way through the layers: by mouse, then by keys.
    await item(page, /^Convolution 2D/).click();
    await panel.getByText('4 maps of 12×12').waitFor();
    const maps = panel.getByRole('list', { name: 'Feature maps' });
    await expect.poll(() => colors(maps.locator('canvas').first())).toBeGreaterThan(5);
    await page.keyboard.press('ArrowDown');
    await panel.getByRole('heading', { name: 'ReLU' }).waitFor();
    await panel.getByText(/0 … \d/).waitFor();
    await maps.getByRole('button', { name: 'Channel 3, enlarge' }).click();
    const dialog = page.getByRole('dialog', { name: /^Channel 3 of/ });
    const large = dialog.getByRole('img', { name: /^Channel 3/ });
    await large.waitFor();
    await large.hover({ position: { x: 20, y: 20 } });
    await dialog.getByText(/^Row 0, column 0: \d/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    // A reload finds it again.
    await page.reload();
    await panel.getByText('Sample 1', { exact: true }).waitFor();
    const answer = panel.getByRole('list', { name: 'Probabilities of the classes' });
    await answer.getByRole('listitem').nth(9).waitFor();
    expect(await answer.getByText('label').count()).toBe(1);

    // What the finished run makes of it is what it predicts.
    const weights = panel.getByRole('combobox', { name: 'Weights' });
    // It is what is looked at until somebody chooses.
    await expect.poll(() => weights.inputValue()).toBe('seen-001, best');
    await weights.click();
    await page.getByRole('option', { name: /^Random weights/ }).click();
    await expect.poll(() => page.url()).toContain('look=val.1.init');
    await weights.click();
    await page.getByRole('option', { name: /best/ }).click();
    const predicted = await gradloom(studio.home, [
      'predict',
      'seen-001',
      '--start',
      '1',
      '--limit',
      '1',
      '--split',
      'val',
      '--json',
    ]);
    const { probabilities } = predicted.lines.find(({ type }) => type === 'prediction') as unknown as {
      probabilities: number[];
    };
    for (const [index, share] of probabilities.entries()) {
      await expect
        .poll(() => answer.getByRole('listitem').nth(index).textContent())
        .toContain(`${(100 * share).toFixed(1)} %`);
    }
    expect(decodeURIComponent(page.url())).toContain('look=val.1.seen-001:best');
    await item(page, /^Convolution 2D/).click();
    await panel.getByText('4 maps of 12×12').waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});
