/** What outlasts a window and a service: every step of undo, and what was edited in the last moments before a crash. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { fileOf, openProject, quick, saved, writeProject } from './actions.ts';
import { connectionLoss, noBrowser, useStudio } from './studio.ts';

async function onData(page: Page): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Validate on' }).waitFor();
}

async function validateOn(page: Page, choice: 'A fraction' | 'Nothing'): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Validate on' }).getByText(choice).click();
}

const chosen = (page: Page, choice: string) =>
  page.getByRole('radiogroup', { name: 'Validate on' }).getByRole('radio', { name: choice }).isChecked();

/** The window dies as it stands: nothing in it runs any more. */
async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const session = await page.context().newCDPSession(page);
  void session.send('Page.crash').catch(() => {});
  await crashed;
}

/** Saves of this window reach the engine so much later. */
async function delaySaves(page: Page, ms: number): Promise<void> {
  await page.evaluate((delay) => {
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (this: WebSocket, data) {
      if (typeof data !== 'string' || !data.includes('/projects/save')) send.call(this, data);
      else setTimeout(() => send.call(this, data), delay);
    };
  }, ms);
}

/** Names of what the workspace keeps of projects. */
function keptFor(home: string): string {
  const folder = path.join(home, 'recovery');
  return existsSync(folder) ? readdirSync(folder).join(' ') : '';
}

/** Layers, each by a few letters. */
async function add(page: Page, ...kinds: string[]): Promise<void> {
  for (const kind of kinds) {
    await page.keyboard.press('/');
    await page.keyboard.type(kind);
    await page.keyboard.press('Enter');
  }
}

describe.skipIf(noBrowser)('undo', () => {
  const studio = useStudio();

  test('goes on after a reload, in a new window, and after the service has died', async () => {
    studio.allow(connectionLoss, /^4\d\d \/rpc/);
    const file = writeProject(studio, 'kept', quick('kept'));
    const start = readFileSync(file, 'utf8');
    let page = await openProject(studio, file);
    await page.getByRole('tree', { name: 'Layers' }).waitFor();
    await add(page, 'Tanh', 'GELU', 'SiLU');
    await page.keyboard.press('Control+z');
    await saved(page);
    const end = readFileSync(file, 'utf8');
    await page.reload();
    await page.getByRole('tree', { name: 'Layers' }).waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('SiLU');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => readFileSync(file, 'utf8')).toBe(end);
    await saved(page);
    await page.close();
    await studio.killService();
    await studio.startService();
    page = await openProject(studio, file);
    const undo = page.getByRole('button', { name: 'Undo' });
    for (let i = 0; i < 2; i++) await undo.click();
    await expect.poll(() => undo.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => readFileSync(file, 'utf8')).toBe(start);
  });
});

describe.skipIf(noBrowser)('what was edited in the last moment', () => {
  const studio = useStudio();

  test('before the window died is offered, and restored as one step', async () => {
    const file = writeProject(studio, 'window-died', quick('window-died'));
    const start = readFileSync(file, 'utf8');
    const first = await openProject(studio, file, 'data');
    await onData(first);
    await delaySaves(first, 60_000);
    await validateOn(first, 'Nothing');
    await expect.poll(() => keptFor(studio.home)).toContain('draft');
    await crash(first);
    expect(readFileSync(file, 'utf8')).toBe(start); // there was no time to save
    const page = await openProject(studio, file, 'data');
    await onData(page);
    const bar = page.getByRole('alert').filter({ hasText: /Changes of \d\d:\d\d were not saved\./ });
    await bar.waitFor();
    expect(await chosen(page, 'A fraction')).toBe(true);
    await bar.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => chosen(page, 'Nothing')).toBe(true);
    await expect.poll(() => readFileSync(file, 'utf8')).not.toContain('0.25');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => readFileSync(file, 'utf8')).toBe(start);
    await page.reload();
    await onData(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('while the service was dead is offered, and can be discarded', async () => {
    studio.allow(connectionLoss, /^4\d\d \/rpc/);
    const file = writeProject(studio, 'service-died', quick('service-died'));
    const first = await openProject(studio, file, 'data');
    await onData(first);
    const { port } = studio;
    await studio.killService();
    await first.getByText('The connection to the engine is lost').waitFor();
    await validateOn(first, 'Nothing');
    await first.close();
    await studio.startService(port);
    const page = await openProject(studio, file, 'data');
    await onData(page);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(await chosen(page, 'A fraction')).toBe(true);
    await page.reload();
    await onData(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('while the file could not be written is offered, also when it was changed since', async () => {
    const file = writeProject(studio, 'conflict', quick('conflict'));
    const first = await openProject(studio, file, 'data');
    await onData(first);
    // Between the edit and its save another program writes the file.
    await delaySaves(first, 1500);
    await validateOn(first, 'Nothing');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"epochs": 5', '"epochs": 7'));
    await first.getByText('Your changes are not saved').waitFor();
    await first.close();
    const page = await openProject(studio, file, 'data');
    await onData(page);
    await page.getByRole('alert').filter({ hasText: 'and the file was changed since' }).waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"epochs": 5');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"epochs": 7');
  });

  test('in a window that still lives is not offered in another one', async () => {
    const file = writeProject(studio, 'alive', quick('alive'));
    const first = await openProject(studio, file, 'data');
    await onData(first);
    writeFileSync(file, '{');
    await first.getByRole('alert').waitFor();
    await validateOn(first, 'Nothing');
    writeFileSync(file, `${JSON.stringify(quick('alive'))}\n`);
    const page = await openProject(studio, file, 'data');
    await onData(page);
    expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0);
    await first.close();
    await page.reload();
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    expect(fileOf(page)).toBe(file);
  });
});

/** Drops a file on the page as a desktop would; for a number, weights of so many bytes. */
async function drop(page: Page, name: string, content: string | number, type = ''): Promise<void> {
  await page.evaluate(
    ({ name, content, type }) => {
      const parts: BlobPart[] = [];
      if (typeof content === 'string') parts.push(content);
      else {
        const header = JSON.stringify({ w: { dtype: 'U8', shape: [content], data_offsets: [0, content] } });
        parts.push(new BigUint64Array([BigInt(header.length)]), header, new Uint8Array(content).fill(3));
      }
      const data = new DataTransfer();
      data.items.add(new File(parts, name, { type }));
      for (const event of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(event, { dataTransfer: data, bubbles: true, cancelable: true }));
      }
    },
    { name, content, type },
  );
}

describe.skipIf(noBrowser)('a file that is dropped', () => {
  const studio = useStudio();

  test('on any page is a project that is opened, weights to start from, or told what it is', async () => {
    const page = await studio.open('#/runs');
    await drop(page, 'dropped.gradloom.json', JSON.stringify(quick('dropped')));
    await page.getByRole('tree', { name: 'Layers' }).waitFor();
    expect(fileOf(page)).toContain('dropped');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Train' }).click();
    await drop(page, 'net.safetensors', 9 << 20);
    await page.getByText('Runs of this project start from net.safetensors').waitFor();
    await expect.poll(() => readFileSync(fileOf(page), 'utf8')).toContain('"weights": "../weights/net.safetensors"');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => readFileSync(fileOf(page), 'utf8')).not.toContain('weights');
    await drop(page, 'train.csv', 'a,b\n1,2\n');
    await page.getByText('train.csv is a table').waitFor();
    await page.getByRole('button', { name: 'Go to Data' }).click();
    await onData(page);
    await drop(page, 'net.onnx', 'x');
    await page.getByText('net.onnx is a network as ONNX').waitFor();
  });
});
