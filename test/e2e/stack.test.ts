/** The picture of the network: as it was kept at 5, 40 and 120 layers; its overview, its memory bar, a magnified window, axe in every state. */
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openProject, press, projectOf, saved, writeProject } from './actions.ts';
import { axeFaults } from './axe.ts';
import { decode } from './palette-png.mjs';
import { differsFromPicture, looksSame } from './pictures.mjs';
import { noBrowser, useStudio } from './studio.ts';

const stack = (page: Page) => page.getByRole('region', { name: 'Layer stack' });
const cards = (page: Page) => page.getByRole('tree', { name: 'Layers' }).getByRole('treeitem');

function project(name: string, layers: object[], batch = 64): object {
  const source = { kind: 'random', shape: [3, 64, 64], classes: 10, samples: 100_000 };
  return { gradloom: 1, name, data: { source, loader: { batch_size: batch } }, model: { layers } };
}

const conv = (out_channels: number) => ({ kind: 'Conv2d', out_channels, kernel_size: 3, padding: 1, bias: false });
const unit = (channels: number) => [conv(channels), { kind: 'BatchNorm2d' }, { kind: 'ReLU' }];
const head = [{ kind: 'AdaptiveAvgPool2d', output_size: 1 }, { kind: 'Flatten' }, { kind: 'Linear', out_features: 10 }];

const small = [conv(16), { kind: 'ReLU' }, ...head];

/** Blocks in blocks, one with a branch. */
function middle(): object[] {
  const residual = (channels: number) => ({ kind: 'Residual', layers: [...unit(channels), conv(channels)] });
  const layers = [
    ...unit(16),
    residual(16),
    { kind: 'Repeat', times: 2, layers: [residual(16), { kind: 'ReLU' }] },
    { kind: 'Parallel', branches: [unit(8), []] },
    ...[32, 64, 64].flatMap((channels) => [...unit(channels), { kind: 'MaxPool2d', kernel_size: 2 }]),
    { kind: 'Dropout2d', p: 0.1, disabled: true },
  ];
  return [...layers, residual(64), ...head];
}

function large(count: number): object[] {
  const layers = Array.from({ length: 40 }, (_, index) => unit(16 * (1 + Math.floor(index / 10)))).flat();
  return [...layers.slice(0, count - head.length), ...head];
}

/** Numbers of this computer, which no two tell alike. */
async function withoutDevice(page: Page): Promise<void> {
  await page.getByTitle('Device and memory').getByText('GiB').waitFor();
  await stack(page)
    .getByRole('meter', { name: 'Memory in training' })
    .evaluate((meter) => {
      const line = meter.parentElement?.parentElement;
      if (line) line.style.visibility = 'hidden';
    });
}

async function shoot(page: Page): Promise<Buffer> {
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(4, 400);
  await page.waitForTimeout(500);
  return stack(page).screenshot();
}

describe.skipIf(noBrowser)('the picture of the network', () => {
  const studio = useStudio();
  const failures = path.join(os.tmpdir(), 'gradloom-e2e-failures');

  test.each(['light', 'dark'] as const)('is as it was kept, %s', async (theme) => {
    await (await studio.engine()).settings.set({ theme });
    const differing: string[] = [];
    const stacks = { 5: small, 40: middle(), 120: large(120) };
    for (const [count, layers] of Object.entries(stacks)) {
      const file = writeProject(studio, `stack-${count}-${theme}`, project(`stack-${count}`, layers));
      const page = await openProject(studio, file);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await stack(page).getByText(`${count} layers`).waitFor();
      await withoutDevice(page);
      // The second block's fold says what it holds.
      if (count === '40') await page.getByRole('button', { name: 'Fold Repeat' }).click();
      const png = await shoot(page);
      const difference = differsFromPicture(`stack-${count}-${theme}`, png, failures);
      if (difference !== null) differing.push(difference);
      await page.close();
    }
    expect(differing).toEqual([]);
  });

  test('another place of a card is seen, another drawing of its letters is not', async () => {
    await (await studio.engine()).settings.set({ theme: 'light' });
    const page = await openProject(studio, writeProject(studio, 'moved', project('moved', small)));
    await withoutDevice(page);
    const image = decode(await shoot(page));
    const box = await cards(page).nth(1).boundingBox();
    const area = await stack(page).boundingBox();
    if (!box || !area) throw new Error('nothing to move');
    const top = Math.round(box.y - area.y);
    const rows = (from: number, to: number) => image.colors.slice(from * image.width, to * image.width);
    const moved = { ...image, colors: image.colors.slice() };
    moved.colors.set(rows(top, top + 40), (top + 8) * image.width);
    expect(looksSame(image, moved)).toBe(false);
    // Strokes a shade lighter, as another rasteriser has them.
    const lighter = image.colors.map((color) => {
      const dark = ((color >> 16) & 255) + ((color >> 8) & 255) + (color & 255) < 300;
      return dark ? color + 0x20_20_20 : color;
    });
    expect(looksSame(image, { ...image, colors: lighter })).toBe(true);
  });

  test('close rows come with many layers; the choice is kept', async () => {
    const page = await openProject(studio, writeProject(studio, 'dense', project('dense', large(80))));
    const compact = stack(page).getByRole('button', { name: 'Compact rows' });
    await expect.poll(() => compact.getAttribute('aria-pressed')).toBe('true');
    const close = await cards(page).nth(1).boundingBox();
    await compact.click();
    await expect.poll(async () => (await cards(page).nth(1).boundingBox())?.height).toBeGreaterThan(50);
    expect(close?.height).toBeLessThan(40);
    await page.reload();
    await expect.poll(() => compact.getAttribute('aria-pressed')).toBe('false');
  });

  test('the overview shows what is in sight, goes where it is clicked, and is dragged; a short stack has none', async () => {
    const page = await openProject(studio, writeProject(studio, 'long', project('long', large(120))));
    const strip = stack(page).locator('[data-long]');
    await strip.waitFor();
    const box = await strip.boundingBox();
    if (!box) throw new Error('no overview');
    const middle = box.x + box.width / 2;
    const inSight = (index: number) =>
      cards(page)
        .nth(index)
        .evaluate((card) => {
          const { top, bottom } = card.getBoundingClientRect();
          return top < window.innerHeight && bottom > 100;
        });
    expect(await inSight(0)).toBe(true);
    await page.mouse.click(middle, box.y + box.height - 4);
    await expect.poll(() => inSight(119)).toBe(true);
    await page.mouse.move(middle, box.y + box.height - 20);
    await page.mouse.down();
    await page.mouse.move(middle, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => inSight(60)).toBe(true);
    expect(await inSight(119)).toBe(false);
    // The keys go on where the eye is: a card that is clicked, then the next.
    await cards(page)
      .nth(60)
      .click({ position: { x: 200, y: 10 } });
    await page.keyboard.press('End');
    await expect.poll(() => inSight(119)).toBe(true);
    await page.close();

    const few = await openProject(studio, writeProject(studio, 'few', project('few', small)));
    await cards(few).first().waitFor();
    await few.waitForTimeout(300);
    expect(await stack(few).locator('[data-long]').count()).toBe(0);
  });

  test('pointing at a card and changing its numbers moves no words', async () => {
    const page = await openProject(studio, writeProject(studio, 'still', project('still', small)));
    await stack(page).getByText('fits', { exact: true }).waitFor();
    await stack(page).getByText('Fits', { exact: true }).waitFor();
    const places = () =>
      stack(page).evaluate((area) =>
        [...area.querySelectorAll('h1, [role=meter], [role=treeitem] code, [role=treeitem] [class*=number]')].map(
          (part) => {
            const { x, y } = part.getBoundingClientRect();
            return [Math.round(x), Math.round(y)];
          },
        ),
      );
    const before = await places();
    await cards(page).first().hover();
    await page.getByRole('button', { name: 'Duplicate' }).waitFor();
    expect(await places()).toEqual(before);
    await cards(page)
      .first()
      .click({ position: { x: 200, y: 16 } });
    const channels = page.getByRole('complementary', { name: 'Inspector' }).getByRole('textbox', { name: 'Channels' });
    await channels.fill('4096');
    await saved(page);
    expect(await places()).toEqual(before);
  });

  test('what does not fit into memory says so, and is made to fit by a click that can be taken back', async () => {
    const wide = [conv(512), { kind: 'ReLU' }, conv(512), { kind: 'ReLU' }, ...head];
    const page = await openProject(studio, writeProject(studio, 'too-large', project('too-large', wide, 65_536)));
    await stack(page).getByText('Does not fit', { exact: true }).waitFor();
    // Both tell the same.
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('Does not fit', { exact: true }).waitFor();
    await inspector.getByRole('button', { name: /^Take batches of/ }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await stack(page).getByRole('button', { name: 'Make it fit' }).click();
    const smaller = page.getByRole('menuitem', { name: /^Take batches of/ });
    await smaller.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await smaller.click();
    await stack(page).getByText('Fits', { exact: true }).waitFor();
    await saved(page);
    const { training, data } = projectOf(page) as {
      training: { accumulate: number };
      data: { loader: { batch_size: number } };
    };
    expect(training.accumulate * data.loader.batch_size).toBe(65_536);
    await press(page, 'Control+z');
    await stack(page).getByText('Does not fit', { exact: true }).waitFor();
  });

  test.each(['light', 'dark'] as const)('axe finds nothing in any state, %s', { timeout: 180_000 }, async (theme) => {
    await (await studio.engine()).settings.set({ theme });
    const found: { [state: string]: string[] } = {};
    const look = async (state: string, page: Page) => {
      await page.waitForTimeout(200);
      const faults = await axeFaults(page);
      if (faults.length > 0) found[state] = faults;
    };
    const empty = await openProject(studio, writeProject(studio, 'axe-empty', project('empty', [])));
    await empty.getByText('Stack your first layer').waitFor();
    await look('empty', empty);
    await empty.close();

    const wrong = [conv(8), { kind: 'Linaer' }, { kind: 'Parallel', branches: [[], [conv(4)]] }, ...head];
    const page = await openProject(
      studio,
      writeProject(studio, 'axe', project('axe', [...middle().slice(0, 6), ...wrong])),
    );
    await cards(page).first().waitFor();
    await look('problems and blocks', page);
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await cards(page)
      .nth(1)
      .click({ position: { x: 200, y: 10 } });
    await look('compact, a layer selected', page);
    await cards(page)
      .nth(1)
      .click({ button: 'right', position: { x: 200, y: 10 } });
    await page.getByRole('menuitem').first().waitFor();
    await look('a menu of a layer', page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Fold all blocks', exact: true }).click();
    await look('folded', page);
    await page.keyboard.press('Control+a');
    await look('several selected', page);
    await page.setViewportSize({ width: 720, height: 450 });
    await look('magnified', page);
    await page.getByRole('button', { name: 'Palette' }).click();
    await look('palette over the stack', page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Inspector' }).click();
    await look('inspector over the stack', page);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(found).toEqual({});
  });
});

describe.skipIf(noBrowser)('at 200 %', () => {
  const studio = useStudio();

  test('nothing is lost: sides are drawers, and the keys open them', async () => {
    const page = await openProject(studio, writeProject(studio, 'zoom', project('zoom', middle())));
    await page.setViewportSize({ width: 720, height: 450 });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const palette = page.getByRole('region', { name: 'Layer palette' });
    await expect.poll(() => inspector.isVisible()).toBe(false);
    expect(await palette.isVisible()).toBe(false);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBe(720);

    // Enter goes to the layer's first field, Escape back to the layer.
    const first = cards(page).first();
    await first.click({ position: { x: 150, y: 16 } });
    await page.keyboard.press('Enter');
    await inspector.getByRole('textbox', { name: 'Channels' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.type('24');
    await page.keyboard.press('Escape');
    await expect.poll(() => inspector.isVisible()).toBe(false);
    await expect.poll(() => first.evaluate((card) => card === document.activeElement)).toBe(true);
    expect(await first.textContent()).toContain('24 channels');

    // The slash opens the palette, which goes when a layer was added.
    const before = await cards(page).count();
    await page.keyboard.press('/');
    await palette.getByRole('combobox', { name: 'Add a layer' }).waitFor();
    await page.keyboard.type('tanh');
    await page.keyboard.press('Enter');
    await expect.poll(() => cards(page).count()).toBe(before + 1);
    await expect.poll(() => palette.isVisible()).toBe(false);

    // By the pointer as well.
    await page.getByRole('button', { name: 'Inspector' }).click();
    await inspector.waitFor();
    await page.mouse.click(120, 300);
    await expect.poll(() => inspector.isVisible()).toBe(false);
    await saved(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await inspector.waitFor();
  });
});
