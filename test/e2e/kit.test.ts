/** The component kit in a browser, by its gallery: what jsdom cannot show — painting, pointers, policies, colours. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFaults } from './axe.ts';
import { type Chromium, findChromium, startChromium } from './browser.mjs';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://gallery');
    const file = path.join(folder, pathname === '/' ? 'index.html' : pathname);
    try {
      const content = readFileSync(file);
      response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' }).end(content);
    } catch {
      response.writeHead(204).end();
    }
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

describe.skipIf(findChromium() === null)('the component kit', () => {
  let folder: string;
  let server: Server;
  let chromium: Chromium;
  const faults: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-gallery-'));
    const configFile = fileURLToPath(new URL('../renderer/ui/gallery/vite.config.ts', import.meta.url));
    await build({ configFile, build: { outDir: folder } });
    [server, chromium] = await Promise.all([serve(folder), startChromium({ width: 1360, height: 1000 })]);
  });
  afterAll(async () => {
    await chromium?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function show(part: string, scheme = 'light'): Promise<Page> {
    const page = await chromium.context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?show=${part}&scheme=${scheme}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(() => document.fonts.ready);
    return page;
  }
  const chart = (page: Page, title: string) =>
    page
      .locator('figure')
      .filter({ has: page.locator(`text="${title}"`) })
      .first();

  test.each(['basics', 'charts', 'forms'])(
    '%s: no fault of access in either theme, nothing refused by the policy',
    async (part) => {
      for (const scheme of ['light', 'dark']) {
        const page = await show(part, scheme);
        expect(await axeFaults(page)).toEqual([]);
        await page.close();
      }
      expect(faults).toEqual([]);
    },
  );

  test('a live chart paints what can be seen of an update, redraws its axes twice a second at most, and never shows an empty plot', async () => {
    const page = await show('charts');
    const seen = await page.evaluate(async () => {
      const figure = [...document.querySelectorAll('figure')].find((each) => each.textContent?.startsWith('Live'));
      const canvas = figure?.querySelector('canvas');
      const context = canvas?.getContext('2d');
      if (!figure || !canvas || !context) throw new Error('no live chart');
      // A chart that nobody sees is not painted.
      figure.scrollIntoView({ block: 'center' });
      await new Promise((resolve) => setTimeout(resolve, 200));
      const frame = () => new Promise(requestAnimationFrame);
      const painted = () => context.getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
      let axes = 0;
      const observer = new MutationObserver(() => axes++);
      observer.observe(figure.querySelector('[data-axis="x"]')?.parentElement ?? figure, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      const clear = CanvasRenderingContext2D.prototype.clearRect;
      let paints = 0;
      CanvasRenderingContext2D.prototype.clearRect = function (...area) {
        if (this === context) paints++;
        clear.apply(this, area);
      };
      let empty = 0;
      const start = performance.now();
      for (let update = 0; update < 30; update++) {
        window.gallery.update(20 + update * 15);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await frame();
        if (!painted()) empty++;
      }
      observer.disconnect();
      const seconds = (performance.now() - start) / 1000;
      // Axes stand still now: first points that move the line's end by pixels, then some that do not.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const paintsOf = async (points: (update: number) => number) => {
        const before = paints;
        for (let update = 0; update < 20; update++) {
          window.gallery.update(points(update));
          await new Promise((resolve) => setTimeout(resolve, 50));
          await frame();
        }
        return paints - before;
      };
      const moving = await paintsOf((update) => 400 + update * 3);
      const still = await paintsOf(() => 457);
      CanvasRenderingContext2D.prototype.clearRect = clear;
      return { axes, moving, still, empty, seconds };
    });
    expect(seen.empty).toBe(0);
    // What lies beyond the axes' end is seen only when they follow.
    expect(seen.moving).toBeGreaterThanOrEqual(8);
    expect(seen.still).toBeLessThanOrEqual(6);
    expect(seen.axes).toBeGreaterThan(0);
    expect(seen.axes).toBeLessThanOrEqual(Math.ceil(seen.seconds * 2) + 1);
    await page.close();
  });

  test('a live chart that is painted at its end looks as one that is painted whole', async () => {
    const page = await show('charts');
    const live = chart(page, 'Live');
    await live.scrollIntoViewIfNeeded();
    const seen = await live.evaluate(async (figure) => {
      const canvas = figure.querySelector('canvas');
      const context = canvas?.getContext('2d');
      const button = figure.querySelector('button');
      const axis = figure.querySelector('[data-axis="x"]')?.parentElement;
      if (!canvas || !context || !button || !axis) throw new Error('no live chart');
      const clear = CanvasRenderingContext2D.prototype.clearRect;
      const paints = { parts: 0, wholes: 0 };
      CanvasRenderingContext2D.prototype.clearRect = function (...area) {
        if (this === context) paints[area[0] > 0 ? 'parts' : 'wholes'] += 1;
        clear.apply(this, area);
      };
      const pixels = () => context.getImageData(0, 0, canvas.width, canvas.height).data;
      /** A line that is pointed at is painted anew, with all others; so it is when it is left. */
      const point = async (event: string) => {
        const before = paints.wholes;
        button.dispatchEvent(new PointerEvent(event, { bubbles: true }));
        while (paints.wholes === before) await new Promise(requestAnimationFrame);
      };
      // Axes that have moved in between, as they do twice a second, leave nothing to compare.
      for (let begin = 700; begin < 1500; begin += 80) {
        for (let points = begin; points < begin + 80; points += 4) {
          window.gallery.update(points);
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
        const [partly, axes, parts] = [pixels(), axis.innerHTML, paints.parts];
        await point('pointerover');
        await point('pointerout');
        const whole = pixels();
        if (axis.innerHTML !== axes) continue;
        const apart = whole.filter((value, index) => Math.abs(value - (partly[index] ?? 0)) > 24).length;
        const drawn = whole.filter((value) => value > 0).length;
        return { parts, drawn, apart: apart / drawn };
      }
      throw new Error('the axes never stood still');
    });
    expect(seen.parts).toBeGreaterThan(5);
    expect(seen.drawn).toBeGreaterThan(1000);
    expect(seen.apart).toBeLessThan(0.002);
    await page.close();
  });

  test('a range is drawn to zoom, and a double click shows all again', async () => {
    const page = await show('charts');
    const figure = chart(page, 'Loss');
    const plot = figure.getByRole('img');
    const box = await plot.boundingBox();
    if (!box) throw new Error('no plot');
    await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 90, { steps: 4 });
    await page.mouse.up();
    await figure.getByRole('button', { name: /^Show all/ }).waitFor();
    const ticks = () => figure.locator('[data-axis="x"] text').allTextContents();
    const zoomed = (await ticks()).map((text) => Number(text.replace(',', '')));
    expect(Math.min(...zoomed)).toBeGreaterThanOrEqual(899);
    expect(Math.max(...zoomed)).toBeLessThanOrEqual(1801);
    await plot.dblclick();
    await expect.poll(async () => (await ticks())[0]).toBe('0');
    await page.close();
  });

  test('the crosshair tells exact numbers, by pointer and by keyboard', async () => {
    const page = await show('charts');
    const figure = chart(page, 'Accuracy');
    const plot = figure.getByRole('img');
    expect(await plot.getAttribute('aria-label')).toMatch(
      /^Accuracy, from 200 to 3,600\. validation: last 91\.3 %, lowest .* at 200/,
    );
    await plot.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await figure.getByText('step 400').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => figure.getByText('step 400').count()).toBe(0);
    await figure.getByRole('button', { name: 'Show as table' }).click();
    expect(await figure.getByRole('grid').getAttribute('aria-rowcount')).toBe('19');
    await page.close();
  });

  test('a change of theme repaints the lines in its colours', async () => {
    const page = await show('charts');
    const color = () =>
      page.evaluate(() => {
        const canvas = document.querySelector('canvas');
        const data = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        // The colour of the strongest pixel.
        let best = 0;
        for (let at = 0; at < data.length; at += 4) if ((data[at + 3] ?? 0) > (data[best + 3] ?? 0)) best = at;
        return [data[best], data[best + 1], data[best + 2]].join();
      });
    const before = await color();
    await page.evaluate(() => document.documentElement.setAttribute('data-mantine-color-scheme', 'dark'));
    await expect.poll(color).not.toBe(before);
    await page.close();
  });

  test('a table of a thousand rows is gone through by keyboard', async () => {
    const page = await show('basics');
    const grid = page.getByRole('grid', { name: 'Runs' });
    await grid.focus();
    await page.keyboard.press('End');
    await grid.getByText('digits-mlp-1000').waitFor();
    expect(await grid.getByRole('row').count()).toBeLessThan(60);
    await page.keyboard.press('Home');
    await grid.getByText('digits-mlp-001').waitFor();
    await page.close();
  });

  test('the width of the side is kept', async () => {
    const page = await show('basics');
    const border = page.getByRole('separator', { name: 'Width of Inspector' });
    const box = await border.boundingBox();
    if (!box) throw new Error('no border');
    await page.mouse.move(box.x + 3, 500);
    await page.mouse.down();
    await page.mouse.move(box.x - 57, 500, { steps: 5 });
    await page.mouse.up();
    expect(await border.getAttribute('aria-valuenow')).toBe('400');
    await page.reload();
    expect(await border.getAttribute('aria-valuenow')).toBe('400');
    await page.close();
  });

  test('the palette finds, runs and gives the keyboard back', async () => {
    const page = await show('basics');
    const opener = page.getByRole('button', { name: 'Commands' });
    await opener.click();
    const input = page.getByRole('combobox', { name: 'Commands' });
    await expect.poll(() => input.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type('bn2');
    expect(await page.getByRole('option').allTextContents()).toEqual(['Batch normalisation 2D']);
    await page.keyboard.press('Enter');
    await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.close();
  });
});
