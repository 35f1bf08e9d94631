/** Every way of editing the stack, by mouse and by keyboard, as the file shows it. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { command, fileOf, openProject, quick, saved, toast, writeProject } from './actions.ts';
import { noBrowser, type Studio, useStudio } from './studio.ts';

interface Layer {
  kind: string;
  layers?: Layer[];
  branches?: Layer[][];
  [key: string]: unknown;
}

const stack = (page: Page) => page.getByRole('tree', { name: 'Layers' });
/** The card of a kind that goes by its label, such as "ReLU"; the nth of them. */
const card = (page: Page, label: string, nth = 0) =>
  stack(page)
    .getByRole('treeitem', { name: new RegExp(`^${label}`) })
    .nth(nth);

let made = 0;

/** A window on Build, with these layers. */
async function open(studio: Studio, layers: Layer[], blocks?: object): Promise<Page> {
  made += 1;
  const project = { ...quick(`editing-${made}`), model: { layers, ...(blocks ? { blocks } : {}) } };
  const page = await openProject(studio, writeProject(studio, `editing-${made}`, project));
  await stack(page).waitFor();
  await saved(page);
  return page;
}

const linear = (size: number): Layer => ({ kind: 'Linear', out_features: size });
const three: Layer[] = [linear(6), { kind: 'ReLU' }, linear(3)];

/** "Linear ReLU Residual(Linear)". */
function outline(layers: readonly Layer[]): string {
  return layers
    .map(({ kind, layers: inside, branches, ref, disabled }) => {
      const name = `${kind === 'Block' ? String(ref) : kind}${disabled ? '!' : ''}`;
      if (branches) return `${name}(${branches.map(outline).join(' | ')})`;
      return inside ? `${name}(${outline(inside)})` : name;
    })
    .join(' ');
}

const inFile = (page: Page) =>
  (
    JSON.parse(readFileSync(fileOf(page), 'utf8')) as {
      model: { layers: Layer[]; blocks?: { [name: string]: { layers: Layer[] } } };
    }
  ).model;

async function becomes(page: Page, expected: string): Promise<void> {
  await expect.poll(() => outline(inFile(page).layers)).toBe(expected);
}

/** Undoes as often as there is something to undo: the file is what it was, byte for byte. */
async function undoAll(page: Page, start: string): Promise<void> {
  const undo = page.getByRole('button', { name: 'Undo' });
  while ((await undo.getAttribute('aria-disabled')) !== 'true') await undo.click();
  await expect.poll(() => readFileSync(fileOf(page), 'utf8')).toBe(start);
}

async function keys(page: Page, ...presses: string[]): Promise<void> {
  for (const each of presses) await page.keyboard.press(each);
}

async function middle(target: Locator): Promise<{ x: number; y: number; top: number }> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error('nothing to point at');
  return { x: box.x + Math.min(box.width / 2, 200), y: box.y + Math.min(box.height, 40) / 2, top: box.y };
}

/** Presses the pointer on one thing and moves it to a place in steps, as a hand does; it is not let go. */
async function dragTo(page: Page, from: Locator, to: { x: number; y: number }): Promise<void> {
  const start = await middle(from);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  for (let step = 1; step <= 8; step++) {
    await page.mouse.move(start.x + ((to.x - start.x) * step) / 8, start.y + ((to.y - start.y) * step) / 8);
    await page.waitForTimeout(15);
  }
}

const entry = (page: Page, kind: string) =>
  page
    .getByRole('listbox', { name: 'Layers' })
    .getByRole('option', { name: new RegExp(`^${kind}( |$)`) })
    .first();

describe.skipIf(noBrowser)('layers are edited', () => {
  const studio = useStudio();

  test('by keys: added, renamed, noted, moved, doubled, disabled, wrapped and unwrapped', async () => {
    const page = await open(studio, three);
    const start = readFileSync(fileOf(page), 'utf8');
    await card(page, 'ReLU').click();
    await keys(page, '/');
    await page.keyboard.type('tan');
    await keys(page, 'Enter');
    await becomes(page, 'Linear ReLU Tanh Linear');
    await keys(page, 'Alt+/'); // before the one that was added
    await page.keyboard.type('gel');
    await keys(page, 'Enter');
    await becomes(page, 'Linear ReLU GELU Tanh Linear');
    await keys(page, 'F2');
    await page.keyboard.type('Bend');
    await keys(page, 'Escape', 'Shift+F2');
    await page.keyboard.type('Try ReLU here');
    await keys(page, 'Escape');
    await card(page, 'Bend').getByRole('img', { name: 'Note: Try ReLU here' }).waitFor();
    await keys(page, 'Control+d', 'Alt+ArrowUp', 'Alt+ArrowUp', 'Space');
    await becomes(page, 'Linear GELU! ReLU GELU Tanh Linear');
    await keys(page, 'Delete', 'Home', 'Alt+r');
    await becomes(page, 'Residual(Linear) ReLU GELU Tanh Linear');
    await keys(page, 'Alt+p', 'Alt+t');
    await becomes(page, 'Repeat(Parallel(Residual(Linear) | )) ReLU GELU Tanh Linear');
    await keys(page, 'Control+Shift+g', 'Escape', 'Home', 'Control+Shift+g', 'Home', 'Control+Shift+g');
    await becomes(page, 'Linear ReLU GELU Tanh Linear');
    await keys(page, 'Home', 'Control+g');
    await becomes(page, 'block ReLU GELU Tanh Linear');
    expect(inFile(page).blocks).toEqual({ block: { layers: [linear(6)] } });
    await undoAll(page, start);
  });

  test('several together, chosen by mouse and by keys', async () => {
    const page = await open(studio, [linear(6), { kind: 'ReLU' }, { kind: 'GELU' }, { kind: 'Tanh' }, linear(3)]);
    const chosen = () => stack(page).getByRole('treeitem', { selected: true }).count();
    await card(page, 'ReLU').click();
    await card(page, 'Tanh').click({ modifiers: ['Shift'] });
    expect(await chosen()).toBe(3);
    await card(page, 'GELU').click({ modifiers: ['Control'] });
    expect(await chosen()).toBe(2);
    await keys(page, 'Alt+r');
    await becomes(page, 'Linear Residual(ReLU Tanh) GELU Linear');
    await keys(page, 'Control+z', 'Escape', 'Home', 'Control+ArrowDown', 'Control+Space', 'Control+ArrowDown');
    await keys(page, 'Control+ArrowDown', 'Control+Space');
    expect(await chosen()).toBe(3); // the first, and two that were passed to
    await keys(page, 'Delete');
    await becomes(page, 'GELU Linear');
    await keys(page, 'Control+z', 'Home', 'Shift+ArrowDown', 'Control+a');
    expect(await chosen()).toBe(5);
    await keys(page, 'Escape');
    expect(await chosen()).toBe(0);
  });

  test('by drag: out of the palette, to another place, into and out of a block; Escape gives it up', async () => {
    const page = await open(studio, [
      linear(6),
      { kind: 'Residual', layers: [linear(6)] },
      { kind: 'Tanh' },
      linear(3),
    ]);
    const start = readFileSync(fileOf(page), 'utf8');
    const above = async (target: Locator) => {
      const { x, top } = await middle(target);
      return { x, y: top + 3 };
    };
    await dragTo(page, entry(page, 'GELU'), await above(card(page, 'Tanh')));
    await page.mouse.up();
    await becomes(page, 'Linear Residual(Linear) GELU Tanh Linear');
    await dragTo(page, card(page, 'Tanh'), await above(card(page, 'Linear', 1)));
    await page.mouse.up();
    await becomes(page, 'Linear Residual(Tanh Linear) GELU Linear');
    await dragTo(page, card(page, 'Tanh'), await above(card(page, 'GELU')));
    await keys(page, 'Escape');
    await page.mouse.up();
    await dragTo(page, card(page, 'Tanh'), await above(card(page, 'GELU')));
    await page.mouse.up();
    await becomes(page, 'Linear Residual(Linear) Tanh GELU Linear');
    await page.getByRole('button', { name: 'Fold Residual', exact: true }).click();
    // A folded block opens after a moment; then there is a place in it.
    const folded = await middle(card(page, 'Residual'));
    await dragTo(page, card(page, 'GELU'), { x: folded.x, y: folded.y + 4 });
    await page.getByRole('button', { name: 'Fold Residual', exact: true }).waitFor();
    const inside = await above(card(page, 'Linear', 1));
    await page.mouse.move(inside.x, inside.y + 1, { steps: 3 });
    await page.mouse.up();
    await becomes(page, 'Linear Residual(GELU Linear) Tanh Linear');
    await undoAll(page, start);
  });

  test('by drag to beyond what is in sight: the stack scrolls along', async () => {
    const page = await open(studio, [
      { kind: 'Tanh' },
      ...Array.from({ length: 40 }, () => ({ kind: 'ReLU' })),
      linear(3),
    ]);
    const area = await page.getByRole('region', { name: 'Layer stack' }).boundingBox();
    if (!area) throw new Error('no stack');
    await dragTo(page, card(page, 'Tanh'), { x: area.x + 260, y: area.y + area.height - 12 });
    const last = stack(page).getByRole('treeitem', { name: /^Linear/ });
    await expect.poll(async () => ((await last.boundingBox())?.y ?? 9999) < area.y + area.height - 60).toBe(true);
    const place = await last.boundingBox();
    await page.mouse.move(area.x + 260, (place?.y ?? 0) + 3, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => inFile(page).layers.findIndex(({ kind }) => kind === 'Tanh')).toBeGreaterThan(20);
  });

  test('by menus: on a card, on a ribbon, on a branch, beside the cards', async () => {
    const page = await open(studio, [
      linear(6),
      { kind: 'Parallel', branches: [[linear(6)], []], join: 'add' },
      linear(3),
    ]);
    const choose = async (target: Locator, name: string, position?: { x: number; y: number }) => {
      await target.click({ button: 'right', ...(position ? { position } : {}) });
      await page.getByRole('menuitem', { name }).click();
    };
    await choose(card(page, 'Linear'), 'Residual', { x: 120, y: 16 });
    await becomes(page, 'Residual(Linear) Parallel(Linear | ) Linear');
    await choose(card(page, 'Residual'), 'Unwrap Residual', { x: 120, y: 16 });
    const ribbon = await card(page, 'Linear').locator('[data-ribbon]').boundingBox();
    if (!ribbon) throw new Error('no ribbon');
    await page.mouse.click(ribbon.x + 60, ribbon.y + ribbon.height / 2, { button: 'right' });
    await page.getByRole('menuitem', { name: 'Insert here' }).click();
    await page.keyboard.type('tan');
    await keys(page, 'Enter');
    await becomes(page, 'Linear Tanh Parallel(Linear | ) Linear');
    await choose(stack(page).getByRole('treeitem', { name: /^Branch 1/ }), 'Add a branch', { x: 60, y: 8 });
    await becomes(page, 'Linear Tanh Parallel(Linear |  | ) Linear');
    await choose(stack(page).getByRole('treeitem', { name: /^Branch 2/ }), 'Remove the branch', { x: 60, y: 8 });
    await becomes(page, 'Linear Tanh Parallel(Linear | ) Linear');
    const area = await page.getByRole('region', { name: 'Layer stack' }).boundingBox();
    if (!area) throw new Error('no stack');
    await page.mouse.click(area.x + area.width / 2, area.y + area.height - 20, { button: 'right' });
    await page.getByRole('menuitem', { name: 'Fold all blocks', exact: true }).click();
    expect(await page.getByRole('button', { name: 'Unfold Parallel' }).count()).toBe(1);
    // The same by keys, at the layer that the keyboard is at.
    await card(page, 'Tanh').click();
    await keys(page, 'Shift+F10');
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    await keys(page, 'Escape');
    await keys(page, 'Shift+ArrowRight');
    expect(await page.getByRole('button', { name: 'Fold Parallel', exact: true }).count()).toBe(1);
  });

  test('by the command palette, which knows what is selected; all keys stand on a sheet', async () => {
    const page = await open(studio, three);
    await card(page, 'ReLU').click();
    await command(page, 'Wrap in Residual');
    await becomes(page, 'Linear Residual(ReLU) Linear');
    await command(page, 'Unwrap');
    await becomes(page, 'Linear ReLU Linear');
    await command(page, 'Disable or enable');
    await becomes(page, 'Linear ReLU! Linear');
    await keys(page, '?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Wrap in Parallel').waitFor();
    await keys(page, 'Escape');
    await sheet.waitFor({ state: 'hidden' });
  });

  test('as text over the clipboard, from one project into another, blocks with their definitions', async () => {
    const unit = (size: number) => ({ unit: { layers: [linear(size)] } });
    const from = await open(studio, [{ kind: 'Block', ref: 'unit' }, { kind: 'Tanh' }, linear(3)], unit(6));
    const into = await open(studio, [{ kind: 'Block', ref: 'unit' }, linear(3)], unit(4));
    await from.bringToFront();
    await card(from, 'Tanh').click();
    await card(from, 'Block').click({ modifiers: ['Shift'], position: { x: 120, y: 16 } });
    await keys(from, 'Control+c');
    await into.bringToFront();
    await card(into, 'Block').click({ position: { x: 120, y: 16 } });
    await keys(into, 'Control+v');
    await becomes(into, 'unit unit 2 Tanh Linear');
    expect(inFile(into).blocks).toEqual({ ...unit(4), 'unit 2': { layers: [linear(6)] } });
    await toast(into, 'was pasted as “unit 2”').waitFor();
    // What is no layer says so, and changes nothing.
    await card(into, 'Tanh').click();
    await keys(into, 'F2');
    await into.keyboard.type('plain words');
    await keys(into, 'Shift+Home', 'Control+x', 'Escape', 'Control+v');
    await toast(into, 'The clipboard holds no layers').waitFor();
    await keys(into, 'Control+x');
    await becomes(into, 'unit unit 2 Linear');
  });

  test('named blocks: changed in one place, renamed, and made independent', async () => {
    const use = (): Layer => ({ kind: 'Block', ref: 'unit' });
    const page = await open(studio, [use(), { kind: 'Tanh' }, use(), linear(3)], { unit: { layers: [linear(6)] } });
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await card(page, 'Linear').click();
    await inspector.getByRole('textbox', { name: 'Outputs' }).fill('5');
    await expect.poll(() => inFile(page).blocks).toEqual({ unit: { layers: [linear(5)] } });
    await card(page, 'Block').click({ position: { x: 120, y: 16 } });
    const name = inspector.getByRole('textbox', { name: 'Block', exact: true });
    await name.fill('stage');
    await keys(page, 'Enter');
    await becomes(page, 'stage Tanh stage Linear');
    await card(page, 'Block', 1).click();
    await command(page, 'Go to its layers');
    await expect.poll(() => card(page, 'Block').getAttribute('aria-selected')).toBe('true');
    await card(page, 'Block', 1).click();
    await command(page, 'Make an independent copy');
    await becomes(page, 'stage Tanh stage 2 Linear');
    await page.getByRole('button', { name: 'Undo' }).click();
    await becomes(page, 'stage Tanh stage Linear');
  });

  test('and undone from a field that nothing was typed into', async () => {
    const page = await open(studio, three);
    await card(page, 'ReLU').click();
    await keys(page, 'Delete');
    await becomes(page, 'Linear Linear');
    await keys(page, 'Enter'); // into the first field of the layer that is selected now
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await keys(page, 'Control+z');
    await becomes(page, 'Linear ReLU Linear');
  });
});
