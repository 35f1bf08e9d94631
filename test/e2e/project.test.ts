/** A project in one window and in two: saved by itself, found again, never lost. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileOf, go, openProject, openTemplate, projectOf, quick, saved, toast, writeProject } from './actions.ts';
import { connectionLoss, noBrowser, useStudio } from './studio.ts';

/** An edit that any of the tests can make and see. */
async function validateOn(page: Page, choice: 'A fraction' | 'Nothing'): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Validate on' }).getByText(choice).click();
}

const chosen = (page: Page, choice: string) =>
  page.getByRole('radiogroup', { name: 'Validate on' }).getByRole('radio', { name: choice }).isChecked();

describe.skipIf(noBrowser)('a project', () => {
  const studio = useStudio();

  test('of a template is saved by itself, and its address finds it again', async () => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    const file = fileOf(page);
    expect(file.startsWith(path.join(studio.home, 'projects'))).toBe(true);
    await go(page, 'Data');
    await validateOn(page, 'Nothing');
    await saved(page);
    await expect.poll(() => (projectOf(page).data as { split: { val: unknown } }).split.val).not.toBe('test');
    await page.reload();
    await page.getByRole('button', { name: 'digits-cnn' }).waitFor();
    expect(await chosen(page, 'Nothing')).toBe(true);
    expect(fileOf(page)).toBe(file);
    await page.getByRole('option', { name: /^Sample 0, class / }).waitFor();
  });

  test('that was edited a moment before its window is closed has the edit', async () => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    const file = fileOf(page);
    await go(page, 'Data');
    await page.getByRole('radiogroup', { name: 'Validate on' }).waitFor();
    await validateOn(page, 'Nothing');
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => readFileSync(file, 'utf8')).not.toContain('"val": "test"');
  });

  test('is undone to the bytes it had, and redone', async () => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    const start = readFileSync(fileOf(page), 'utf8');
    await go(page, 'Data');
    await validateOn(page, 'A fraction');
    await validateOn(page, 'Nothing');
    await page.getByRole('button', { name: 'Remove Normalize' }).click();
    await saved(page);
    const end = readFileSync(fileOf(page), 'utf8');
    expect(end).not.toBe(start);
    const undo = page.getByRole('button', { name: 'Undo' });
    for (let i = 0; i < 3; i++) await undo.click();
    expect(await undo.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => readFileSync(fileOf(page), 'utf8')).toBe(start);
    for (let i = 0; i < 3; i++) await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => readFileSync(fileOf(page), 'utf8')).toBe(end);
  });

  test('is not written into by what is typed right after the key of the command palette', async () => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    const start = readFileSync(fileOf(page), 'utf8');
    await go(page, 'Data');
    const folder = page.getByRole('textbox', { name: 'Folder' });
    for (let i = 0; i < 5; i++) {
      await folder.focus();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('Go to');
      await page.getByRole('dialog').getByRole('option', { name: 'Go to Home' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect(await folder.inputValue()).toBe('../data/digits');
      await expect.poll(() => folder.evaluate((field) => field === document.activeElement)).toBe(true);
    }
    expect(readFileSync(fileOf(page), 'utf8')).toBe(start);
  });

  test('that a person edits by hand while it is open is shown as it is then', async () => {
    const page = await openTemplate(studio, 'Digits, convolutional');
    await go(page, 'Data');
    const text = readFileSync(fileOf(page), 'utf8').replace('"val": "test"', '"val": 0.25');
    writeFileSync(fileOf(page), text);
    await expect.poll(() => chosen(page, 'A fraction')).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => chosen(page, 'Test part')).toBe(true);
  });

  test('whose text is no JSON is not opened, and says where the fault is', async () => {
    const file = writeProject(studio, 'broken', '{ "gradloom": 1, "name": ');
    const page = await openProject(studio, file, 'data');
    const alert = page.getByRole('alert');
    await alert.getByText('PROJECT_SYNTAX').waitFor();
    await alert.getByText('broken.gradloom.json').first().waitFor();
    expect(await page.getByRole('button', { name: 'Train', exact: true }).isEnabled()).toBe(false);
  });

  test('whose text is broken by hand while it is open says so until it is mended', async () => {
    const file = writeProject(studio, 'by-hand', quick('by-hand'));
    const page = await openProject(studio, file, 'data');
    await page.getByRole('radiogroup', { name: 'Validate on' }).waitFor();
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, 40));
    await page.getByRole('alert').getByText('cannot be read as a project any more').waitFor();
    writeFileSync(file, text.replace('by-hand', 'mended'));
    await page.getByRole('button', { name: 'mended' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await saved(page);
  });

  test('that is not there says so', async () => {
    const page = await openProject(studio, path.join(studio.home, 'projects', 'nowhere.gradloom.json'), 'data');
    await page.getByText('nowhere.gradloom.json').first().waitFor();
    await page.getByRole('button', { name: 'Choose a project' }).click();
    await page.getByText('Start from a template').waitFor();
  });

  test('whose data is missing tells where it looked, and reads it once it is there', async () => {
    const project = quick('no-data') as { data: { source: object } };
    project.data.source = { kind: 'idx', path: '../data/later' };
    const page = await openProject(studio, writeProject(studio, 'no-data', project), 'data');
    await page.getByRole('alert').getByText('later').first().waitFor();
    cpSync(path.join(studio.home, 'data', 'digits'), path.join(studio.home, 'data', 'later'), { recursive: true });
    await page.getByRole('button', { name: 'Read again' }).first().click();
    await page.getByText('8,000 samples').waitFor();
  });
});

describe.skipIf(noBrowser)('two windows on one project', () => {
  const studio = useStudio();
  let file = '';
  let [mine, theirs] = [] as unknown as [Page, Page];

  /** `mine` has an edit of its own when `theirs` has saved another one. */
  beforeEach(async () => {
    if (noBrowser) return;
    file = writeProject(studio, `shared-${Date.now()}`, quick('shared'));
    mine = await openProject(studio, file, 'data');
    theirs = await openProject(studio, file, 'data');
    await mine.getByRole('radiogroup', { name: 'Validate on' }).waitFor();
    await theirs.getByRole('radiogroup', { name: 'Validate on' }).waitFor();
    // As if typing in both within the same moment: what mine wants to save meets a file that is not the one it knows.
    await mine.evaluate(() => {
      const { send } = WebSocket.prototype;
      const held: [WebSocket, Parameters<typeof send>[0]][] = [];
      WebSocket.prototype.send = function (this: WebSocket, data) {
        held.push([this, data]);
      };
      const release = () => {
        WebSocket.prototype.send = send;
        for (const [socket, data] of held) socket.send(data);
      };
      Object.assign(window, { release });
    });
    await validateOn(mine, 'Nothing');
    await theirs.getByRole('button', { name: /^Reset validation/ }).click();
    await expect.poll(() => readFileSync(file, 'utf8')).not.toContain('0.25');
    await mine.evaluate(() => (window as unknown as { release(): void }).release());
    await mine.getByText('Your changes are not saved').waitFor();
  });

  test('Load theirs, and undo brings mine back', async () => {
    await mine.getByRole('button', { name: 'Load theirs' }).click();
    await expect.poll(() => chosen(mine, 'A fraction')).toBe(true);
    await saved(mine);
    await mine.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => chosen(mine, 'Nothing')).toBe(true);
  });

  test('Keep mine, and the other window shows it', async () => {
    await mine.getByRole('button', { name: 'Keep mine' }).click();
    await saved(mine);
    await expect.poll(() => chosen(theirs, 'Nothing')).toBe(true);
  });

  test('Save mine as a copy, and both are there', async () => {
    const kept = readFileSync(file, 'utf8');
    await mine.getByRole('button', { name: 'Save mine as a copy' }).click();
    await expect.poll(() => fileOf(mine)).not.toBe(file);
    expect(readFileSync(file, 'utf8')).toBe(kept);
    expect(await chosen(mine, 'Nothing')).toBe(true);
  });
});

describe.skipIf(noBrowser)('a project file that goes away', () => {
  const studio = useStudio();

  test('is told, and can be written again', async () => {
    const file = writeProject(studio, 'gone', quick('gone'));
    const page = await openProject(studio, file, 'data');
    await page.getByRole('radiogroup', { name: 'Validate on' }).waitFor();
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    await page.getByText('The project file is gone').waitFor();
    await page.getByRole('button', { name: 'Write it again' }).click();
    await saved(page);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe.skipIf(noBrowser)('a service that dies', () => {
  const studio = useStudio();

  test('is told; what was edited meanwhile is saved when it is back', async () => {
    studio.allow(connectionLoss, /^4\d\d \/rpc/, /^401 \/$/); // a wrong token is tried

    const file = writeProject(studio, 'survivor', quick('survivor'));
    const page = await openProject(studio, file, 'data');
    await page.getByRole('radiogroup', { name: 'Validate on' }).waitFor();
    const { port } = studio;
    await studio.killService();
    await page.getByText('The connection to the engine is lost').waitFor();
    await validateOn(page, 'Nothing');
    await page.getByText('Saves when connected').waitFor();
    await studio.startService(port);
    // Each start of the service has a token of its own: the window asks for it, and keeps what it holds.
    await page.getByLabel('Address or token').waitFor({ timeout: 20_000 });
    await page.getByLabel('Address or token').fill('not-the-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('does not know this token').waitFor();
    await page.getByLabel('Address or token').fill(studio.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Engine ready').waitFor();
    await saved(page);
    expect(readFileSync(file, 'utf8')).not.toContain('0.25');
    expect(await toast(page, 'not').count()).toBe(0);
  });
});
