/** From the empty stack to the network of the template digits-cnn: by mouse, then by keyboard alone; and every edit can be taken back. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { fieldInfo } from '../../engine/contract/fields.ts';
import { layerTable } from '../../engine/contract/layers/index.ts';
import { readProject, resolveProject } from '../../engine/contract/project.ts';
import { chooseByKeys, command, fileOf, focusByTab, go, openTemplate, press, saved } from './actions.ts';
import { noBrowser, useStudio } from './studio.ts';

const template = fileURLToPath(new URL('../../assets/templates/digits-cnn.gradloom.json', import.meta.url));

/** The layers with every parameter, whether the file says it or its default holds. */
function layersIn(file: string): unknown {
  const layers = resolveProject(readProject(readFileSync(file, 'utf8')).project ?? {}).model.layers;
  return (layers as { kind: string }[]).map((layer) => ({ ...defaultsOf(layer.kind), ...layer }));
}

function defaultsOf(kind: string): object {
  const params = Object.entries(layerTable.get(kind)?.params ?? {});
  return Object.fromEntries(params.map(([name, schema]) => [name, fieldInfo(schema).default]));
}

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const stack = (page: Page) => page.getByRole('tree', { name: 'Layers' });
const layers = (page: Page) => stack(page).getByRole('treeitem');
/** By its kind, or kind and name; the first where it was used lately as well. */
const entry = (page: Page, kind: string) =>
  page
    .getByRole('listbox', { name: 'Layers' })
    .getByRole('option', { name: new RegExp(`^${kind}( |$)`) })
    .first();

/** A click where the pointer would go. */
async function point(page: Page, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error('nothing to point at');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.up();
}

describe.skipIf(noBrowser)('the digits CNN is built', () => {
  const studio = useStudio();

  test('by mouse, with digits typed where numbers are wanted', async () => {
    const page = await studio.open('#/');
    await point(page, page.getByRole('button', { name: 'New empty project' }));
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.type('by mouse');
    await point(page, page.getByRole('button', { name: 'Create project' }));
    await point(page, page.getByRole('button', { name: 'Choose data' }));
    await point(page, page.getByRole('combobox', { name: 'Kind' }));
    await point(page, page.getByRole('option', { name: 'IDX files' }));
    await point(page, page.getByRole('button', { name: 'Browse for folder' }));
    const dialog = page.getByRole('dialog', { name: 'Folder with the data' });
    await point(page, dialog.getByRole('button', { name: 'Up one folder' }));
    for (const folder of ['data', 'digits']) {
      await dialog.getByRole('row', { name: `Folder ${folder}` }).dblclick();
    }
    await expect.poll(() => dialog.getByText('Chosen:').textContent()).toContain('digits');
    await point(page, dialog.getByRole('button', { name: 'Choose folder' }));
    await page.getByText('8,000 samples').waitFor();
    await point(page, page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Build' }));

    const add = async (kind: string) => {
      const before = await layers(page).count();
      await point(page, entry(page, kind));
      await expect.poll(() => layers(page).count()).toBe(before + 1);
    };
    const set = async (label: string, digits: string) => {
      const field = inspector(page).getByRole('textbox', { name: label, exact: true });
      await field.dblclick();
      await page.keyboard.press('Control+A');
      await page.keyboard.type(digits);
    };
    await add('Conv2d');
    await set('Channels', '32');
    await add('ReLU');
    await add('MaxPool2d');
    await add('Conv2d');
    await set('Channels', '64');
    await add('ReLU');
    await add('MaxPool2d');
    await add('Flatten');
    await add('Linear');
    await set('Outputs', '256');
    await add('ReLU');
    await add('Dropout');
    await add('Linear');
    // One that does not fit: told in its place, with a button that mends it.
    await set('Outputs', '8');
    await page.getByRole('button', { name: /^Fix 1 problem/ }).waitFor();
    await point(page, stack(page).getByRole('button', { name: /10/ }).first());
    await page.getByText('fits', { exact: true }).waitFor();
    await saved(page);
    await expect.poll(() => layersIn(fileOf(page))).toEqual(layersIn(template));

    // And it learns.
    await point(page, page.getByRole('button', { name: 'Train', exact: true }));
    await page.getByRole('img', { name: /^Loss, from 1 to \d+/ }).waitFor({ timeout: 60_000 });
    await point(page, page.getByRole('button', { name: 'Stop', exact: true }));
    await point(page, page.getByRole('menuitem', { name: /^Stop/ }));
    await page.getByText('Stopped').first().waitFor();
  });

  test('by keyboard alone', async () => {
    const page = await studio.open('#/');
    await command(page, 'New empty project');
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.type('by keys');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('#/build');
    await command(page, 'Go to Data');
    await focusByTab(page, page.getByRole('combobox', { name: 'Kind' }));
    await chooseByKeys(page, 'IDX files');
    await focusByTab(page, page.getByRole('textbox', { name: 'Folder' }));
    await page.keyboard.type('../data/digits');
    await page.keyboard.press('Enter');
    await page.getByText('8,000 samples').waitFor();
    await command(page, 'Go to Build');
    await page.getByRole('region', { name: 'Layer stack' }).waitFor();

    /** `/`, a few letters, Enter. */
    const add = async (letters: string) => {
      const before = await layers(page).count();
      await page.keyboard.press('/');
      await page.keyboard.type(letters);
      await page.keyboard.press('Enter');
      await expect.poll(() => layers(page).count()).toBe(before + 1);
    };
    /** Enter leads to the first field, Escape back to the stack. */
    const set = async (digits: string) => {
      await page.keyboard.press('Enter');
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
      await page.keyboard.press('Control+A');
      await page.keyboard.type(digits);
      await page.keyboard.press('Escape');
    };
    await add('con');
    await set('32');
    await add('relu');
    await add('max');
    await add('con');
    await set('64');
    await add('relu');
    await add('max');
    await add('fla');
    await add('lin');
    await set('256');
    await add('relu');
    await add('dro');
    await add('lin');
    await set('8');
    await page.getByRole('button', { name: /^Fix 1 problem/ }).waitFor();
    await focusByTab(page, stack(page).getByRole('button', { name: /10/ }).first());
    await page.keyboard.press('Enter');
    await page.getByText('fits', { exact: true }).waitFor();
    await saved(page);
    await expect.poll(() => layersIn(fileOf(page))).toEqual(layersIn(template));
  });
});

describe.skipIf(noBrowser)('layers are moved', () => {
  const studio = useStudio();
  const order = async (page: Page) =>
    (JSON.parse(readFileSync(fileOf(page), 'utf8')) as { model: { layers: { kind: string }[] } }).model.layers.map(
      ({ kind }) => kind,
    );

  test('by Alt and arrows, and by drag', async () => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    await go(page, 'Build');
    const start = await order(page);
    await point(page, layers(page).nth(1));
    await page.keyboard.press('Alt+ArrowDown');
    await saved(page);
    const moved = [...start];
    moved.splice(1, 2, 'MaxPool2d', 'ReLU');
    await expect.poll(() => order(page)).toEqual(moved);
    await press(page, 'Control+z');
    await expect.poll(() => order(page)).toEqual(start);

    // Flatten is taken by its handle to the place above the second convolution.
    const handle = layers(page).nth(6).getByRole('button', { name: 'Move Flatten' });
    const from = await handle.boundingBox();
    const to = await layers(page).nth(3).boundingBox();
    if (!from || !to) throw new Error('nothing to drag');
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    for (let step = 1; step <= 12; step++) {
      await page.mouse.move(to.x + 60, from.y + ((to.y - 2 - from.y) * step) / 12);
      await page.waitForTimeout(20);
    }
    await page.mouse.up();
    const dragged = [...start];
    dragged.splice(6, 1);
    dragged.splice(3, 0, 'Flatten');
    await expect.poll(() => order(page)).toEqual(dragged);
    await press(page, 'Control+z');
    await expect.poll(() => order(page)).toEqual(start);
  });
});

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe.skipIf(noBrowser)('whatever is done in the window', () => {
  const studio = useStudio();

  test.each([1, 2])('is undone to the bytes that were there (%i)', async (seed) => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    await go(page, 'Build');
    const start = readFileSync(fileOf(page), 'utf8');
    const below = numbers(seed);
    const choose = async () => {
      // An empty place of a block has no handle, nor a menu.
      const rows = layers(page).filter({ has: page.getByRole('button', { name: /^Move / }) });
      const count = await rows.count();
      if (count > 0) await rows.nth(below(count)).click({ position: { x: 200, y: 16 } });
      return count > 0;
    };
    const kinds = ['Conv2d', 'Linear', 'Residual', 'Parallel', 'GELU'];
    const keys = ['Delete', 'Control+d', 'Alt+ArrowUp', 'Alt+ArrowDown', 'Space', 'Control+x', 'Control+v'];
    const acts: (() => Promise<unknown>)[] = [
      () => entry(page, kinds[below(kinds.length)] as string).click(),
      async () => (await choose()) && page.keyboard.press(keys[below(keys.length)] as string),
      async () => (await choose()) && page.keyboard.press(keys[below(keys.length)] as string),
      async () => {
        if (!(await choose())) return;
        const fields = inspector(page).getByRole('textbox');
        const count = await fields.count();
        if (count > 0) await fields.nth(below(count)).fill(String(1 + below(9)));
      },
      async () => {
        if (!(await choose())) return;
        await page.keyboard.press('Shift+F10');
        await page.getByRole('menuitem', { name: ['Residual', 'Repeat', 'Named block'][below(3)] as string }).click();
      },
    ];
    for (let i = 0; i < 18; i++) await acts[below(acts.length)]?.();
    await go(page, 'Train');
    for (const name of ['Optimizer', 'Batch and loader']) {
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    }
    await page.getByRole('textbox', { name: 'Batch size' }).fill('64');
    await go(page, 'Data');
    await page.getByRole('radiogroup', { name: 'Validate on' }).getByText('Nothing').click();
    await page.getByRole('button', { name: 'Remove Normalize' }).click();
    await saved(page);
    const end = readFileSync(fileOf(page), 'utf8');
    expect(end).not.toBe(start);

    const undo = page.getByRole('button', { name: 'Undo' });
    for (let i = 0; i < 200 && (await undo.getAttribute('aria-disabled')) !== 'true'; i++) await undo.click();
    await expect.poll(() => readFileSync(fileOf(page), 'utf8')).toBe(start);
    const redo = page.getByRole('button', { name: 'Redo' });
    for (let i = 0; i < 200 && (await redo.getAttribute('aria-disabled')) !== 'true'; i++) await redo.click();
    await expect.poll(() => readFileSync(fileOf(page), 'utf8')).toBe(end);
  });
});
