/** A person's own data, from a path to a trained network: recognised, imported, checked, mended, marked; by mouse and by keyboard. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { chooseByKeys, focusByTab, openProject, press, projectOf, saved, toast, writeProject } from './actions.ts';
import { axeFaults } from './axe.ts';
import { noBrowser, type Studio, useStudio } from './studio.ts';

const classNames = ['bars', 'dots', 'waves'] as const;
const side = 16;
const each = 24;

/** Grey pictures whose class can be seen: bars across, dots, waves. */
function picture(kind: (typeof classNames)[number], turn: number): Buffer {
  const bytes = Buffer.alloc(side * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const on =
        kind === 'bars'
          ? (y + turn) % 5 < 2
          : kind === 'dots'
            ? (x + turn) % 4 < 2 && (y + turn) % 4 < 2
            : Math.sin((x + 3 * y + turn) / 2) > 0;
      bytes[y * side + x] = on ? 200 + ((x * 7 + y * 3 + turn) % 50) : (x + y + turn) % 40;
    }
  }
  return bytes;
}

async function imageFolder(studio: Studio): Promise<string> {
  const root = path.join(studio.home, 'data', 'patterns');
  for (const kind of classNames) {
    const folder = path.join(root, kind);
    mkdirSync(folder, { recursive: true });
    for (let i = 0; i < each; i++) {
      const raw = { raw: { width: side, height: side, channels: 1 as const } };
      await sharp(picture(kind, i * 11), raw)
        .png()
        .toFile(path.join(folder, `${kind}-${i}.png`));
    }
  }
  copyFileSync(path.join(root, 'dots', 'dots-3.png'), path.join(root, 'dots', 'dots-again.png'));
  const whole = readFileSync(path.join(root, 'bars', 'bars-0.png'));
  writeFileSync(path.join(root, 'bars', 'broken.png'), whole.subarray(0, whole.length - 30));
  writeFileSync(path.join(root, '.DS_Store'), 'x');
  return root;
}

const project = (name: string) => ({
  gradloom: 1,
  name,
  data: { split: { val: 0 }, loader: { batch_size: 16 } },
  model: { layers: [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 3 }] },
  training: { epochs: 1, device: 'cpu' },
});

const data = (page: Page) => (projectOf(page) as { data: { source: { [key: string]: unknown } } }).data;

describe.skipIf(noBrowser)('the page Data', () => {
  const studio = useStudio();

  test('a folder of images is recognised, imported, checked, mended and learned from', async () => {
    const folder = await imageFolder(studio);
    const page = await openProject(studio, writeProject(studio, 'patterns', project('patterns')), 'data');
    await page.getByLabel('Path of a folder or file').fill(folder);
    await page.getByRole('button', { name: 'Look' }).click();
    const reading = page.getByRole('region', { name: /^Image folder, 3 classes/ });
    await reading.getByText('Certain').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await reading.getByRole('button', { name: 'Use this' }).click();
    const gallery = page.getByRole('listbox', { name: 'Samples' });
    await gallery.getByRole('option', { name: 'Sample 0,' }).waitFor();

    // What cannot be read stops the import and is named; then a person leaves it out.
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/broken\.png/)
      .waitFor();
    await page.getByRole('button', { name: 'Leave them out and go on' }).click();
    await expect.poll(() => data(page).source.on_bad).toBe('skip');
    await page.getByText(`Imported: ${3 * each + 1} samples`).waitFor();
    await page.getByRole('button', { name: '1 left out: show' }).click();
    await page.getByRole('dialog').getByText('bars/broken.png').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Check the data' }).click();
    const repeat = page.getByRole('region', { name: /^1 image repeats/ });
    await repeat.getByRole('button', { name: /dots-(again|3)\.png/ }).click();
    await page.getByRole('complementary').getByText('Right class').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await repeat.getByRole('button', { name: 'Leave out 1 repeat' }).click();
    await repeat.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: '1 mark' }).waitFor();
    expect(JSON.parse(readFileSync(path.join(folder, 'gradloom-marks.json'), 'utf8')).marks).toHaveLength(1);

    await saved(page);
    await page.getByRole('button', { name: 'Train', exact: true }).click();
    await page.getByText('Completed', { exact: true }).first().waitFor({ timeout: 60_000 });
  });

  test('a table gets the roles of its columns without a mouse, one step of undo each', async () => {
    const file = path.join(studio.home, 'data', 'flats.csv');
    const rows = Array.from(
      { length: 300 },
      (_, i) => `${i};${['Oslo', 'Bergen'][i % 2]};${(i * 7) % 90};${i % 3 ? 'yes' : 'no'}`,
    );
    writeFileSync(file, `id;city;area;sold\n${rows.join('\n')}\n`);
    const page = await openProject(studio, writeProject(studio, 'flats', project('flats')), 'data');
    await focusByTab(page, page.getByLabel('Path of a folder or file'));
    await page.keyboard.type(file);
    await page.keyboard.press('Enter');
    await focusByTab(page, page.getByRole('button', { name: 'Use this' }));
    await page.keyboard.press('Enter');
    await page
      .getByRole('grid', { name: 'Columns of the table' })
      .getByRole('gridcell', { name: 'area', exact: true })
      .waitFor();
    await expect.poll(() => data(page).source.kind).toBe('table');

    await focusByTab(page, page.getByRole('combobox', { name: 'Role of city' }));
    await chooseByKeys(page, 'Group');
    await expect.poll(() => data(page).source.columns).toMatchObject({ city: { role: 'group' } });
    await page.getByRole('searchbox', { name: 'Search rows' }).fill('Bergen');
    await page.getByText(/of 150 rows$/).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await press(page, 'Control+z');
    await expect.poll(() => data(page).source.columns).toBeUndefined();
  });

  test('a sample is marked by a key and the mark taken back, here and beside the data', async () => {
    const digits = path.join(studio.home, 'data', 'digits');
    const source = { kind: 'idx', path: digits };
    const file = writeProject(studio, 'marks', { ...project('marks'), data: { source } });
    const page = await openProject(studio, file, 'data');
    const gallery = page.getByRole('listbox', { name: 'Samples' });
    await gallery.getByRole('option', { name: 'Sample 0,' }).waitFor();
    await gallery.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => gallery.getByRole('option', { selected: true }).textContent()).toBeTruthy();
    await page.getByRole('complementary').getByRole('switch', { name: 'Leave out' }).waitFor();
    await page.keyboard.press('x');
    await toast(page, '1 is left out').waitFor();
    const beside = path.join(digits, 'gradloom-marks.json');
    expect(JSON.parse(readFileSync(beside, 'utf8')).marks).toEqual([{ part: 'train', sample: '1', exclude: true }]);
    await page.getByRole('button', { name: '1 mark' }).click();
    await page.getByText('1–1 of 1').waitFor();
    await gallery.focus();
    await page.keyboard.press('Control+z');
    await page.getByText('No samples', { exact: true }).first().waitFor();
    await expect.poll(() => (existsSync(beside) ? JSON.parse(readFileSync(beside, 'utf8')).marks : [])).toEqual([]);
    await page.getByRole('button', { name: 'Show all samples' }).click();
    await gallery.getByRole('option', { name: 'Sample 0,' }).waitFor();
  });

  test('an address leads back to the sample that was looked at', async () => {
    const file = writeProject(studio, 'toys', {
      ...project('toys'),
      data: { source: { kind: 'toy', shape: 'moons' } },
    });
    const page = await studio.open(`#/data?project=${encodeURIComponent(file)}&sample=train.7`);
    await page.getByRole('complementary').getByText('Sample 7').first().waitFor();
    await page.getByRole('img', { name: /^1,000 samples as points/ }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close the sample' }).click();
    await page.getByRole('complementary').getByRole('heading', { name: 'Transforms', exact: true }).waitFor();
    expect(page.url()).not.toContain('sample=');
  });
});
