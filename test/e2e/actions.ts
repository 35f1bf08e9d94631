/** What people do in the window, by the names that they read there. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Studio } from './studio.ts';

/** The open project's file, as the address names it. */
export function fileOf(page: Page): string {
  const file = new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '').get('project');
  if (file === null) throw new Error(`no project in ${page.url()}`);
  return file;
}

export function projectOf(page: Page): { [key: string]: unknown } {
  return JSON.parse(readFileSync(fileOf(page), 'utf8')) as { [key: string]: unknown };
}

/** Waits until the window has nothing to save. */
export async function saved(page: Page): Promise<void> {
  await page.getByRole('banner').getByText('Saved', { exact: true }).waitFor();
}

/** Leaves for another page by the rail, as a person does. */
export async function go(
  page: Page,
  name: 'Home' | 'Data' | 'Build' | 'Train' | 'Monitor' | 'Runs' | 'Devices' | 'Settings',
): Promise<void> {
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
  await link.click();
  await expect.poll(() => link.getAttribute('aria-current')).toBe('page');
}

/** A window with a new project of a template. */
export async function openTemplate(studio: Studio, title: string): Promise<Page> {
  const page = await studio.open('#/');
  await page.getByText(title).click();
  await page.getByRole('banner').getByText('Saved', { exact: true }).waitFor();
  return page;
}

/** A project file in the workspace; answers its path. */
export function writeProject(studio: Studio, name: string, text: string | object): string {
  const folder = path.join(studio.home, 'projects');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.gradloom.json`);
  writeFileSync(file, typeof text === 'string' ? text : `${JSON.stringify(text, null, 2)}\n`);
  return file;
}

/** A window on a page of a project. */
export function openProject(studio: Studio, file: string, at = 'build'): Promise<Page> {
  return studio.open(`#/${at}?project=${encodeURIComponent(file)}`);
}

/** A project on random numbers whose epochs take milliseconds. */
export function quick(name: string, training: object = {}): object {
  return {
    gradloom: 1,
    name,
    data: {
      source: { kind: 'random', shape: [6], classes: 3, samples: 400, seed: 1 },
      split: { val: 0.25, seed: 42, stratify: false },
      loader: { batch_size: 50 },
    },
    model: { layers: [{ kind: 'Linear', out_features: 16 }, { kind: 'ReLU' }, { kind: 'Linear', out_features: 3 }] },
    training: { epochs: 5, optimizer: { kind: 'Adam', lr: 0.01 }, device: 'cpu', ...training },
  };
}

/** Ctrl+Z and the like, with nothing focused that would take it for itself. */
export async function press(page: Page, keys: string): Promise<void> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press(keys);
}

/** The toast that says so. */
export function toast(page: Page, words: string | RegExp): Locator {
  return page.getByRole('status').getByText(words);
}

/** By the command palette, without the mouse. */
export async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  // What a command opens may be a dialog, too.
  const dialog = page.getByRole('dialog').filter({ has: page.getByRole('listbox') });
  await dialog.getByRole('option').first().waitFor();
  await page.keyboard.type(name);
  await expect.poll(() => dialog.getByRole('option').first().textContent()).toContain(name);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
}

/** Of the choice that has the focus: long ones are searched by typing, in short ones one goes down. */
export async function chooseByKeys(page: Page, name: string): Promise<void> {
  const long = await page.evaluate(() => document.activeElement?.hasAttribute('readonly') === false);
  if (long) {
    await page.keyboard.press('Control+A');
    await page.keyboard.type(name);
  } else await page.keyboard.press('Enter');
  const options = page.getByRole('option');
  await options.first().waitFor();
  // Mantine forgets which option is meant in a timer that it sets when the list opens, and keys are served before timers.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
  const marked = page.locator('[role=option][data-combobox-selected]');
  for (let left = long ? 0 : 20; left > 0; left--) {
    if ((await marked.count()) > 0 && (await marked.textContent())?.startsWith(name)) break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await options.first().waitFor({ state: 'hidden' });
}

/** Tab until it has the focus, as someone without a mouse does. */
export async function focusByTab(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let i = 0; i < 160; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${target}`);
}
