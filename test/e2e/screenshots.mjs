// @ts-check
/** Makes the README's pictures anew, of real runs: `npm run screenshots [-- FOLDER]`, else into assets/screenshots. Set-up has run before. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../suites.mjs';
import { startChromium } from './browser.mjs';
import { connectEngine } from './engine-connection.mjs';
import { toPalette } from './palette-png.mjs';

const folder = path.resolve(process.argv[2] ?? path.join(root, 'assets', 'screenshots'));
// Pictures show paths: one that reads well, where nothing is in its place.
const plain = path.join(os.tmpdir(), 'Gradloom');
const home = existsSync(plain) ? mkdtempSync(`${plain}-`) : plain;

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const service = spawn(process.execPath, [path.join(root, 'dist', 'cli.js'), 'serve', '--json'], {
  env: { ...process.env, GRADLOOM_HOME: home },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const ended = new Promise((resolve) => service.on('close', resolve));
const url = await new Promise((resolve, reject) => {
  createInterface({ input: service.stdout }).on('line', (line) => {
    const event = JSON.parse(line);
    if (event.type === 'serve') resolve(event.url);
  });
  service.on('close', (code) => reject(new Error(`The service ended with ${code}`)));
});
const { engine, close } = await connectEngine(url);
const chromium = await startChromium();
mkdirSync(folder, { recursive: true });

try {
  const mlp = await engine.projects.create({ template: 'digits-mlp' });
  const cnn = await engine.projects.create({ template: 'digits-cnn' });
  /** @param {import('../../engine/contract/api.ts').OpenProject} project @param {[string, string]} [change] */
  const start = async (project, change = ['', '']) =>
    (await engine.runs.start({ file: project.file, text: project.text.replace(...change) })).run;
  /** @param {string} run @param {(frame: { status: string, epoch: number }) => boolean} reached */
  const until = async (run, reached) => {
    for (;;) {
      const frame = await engine.runs.follow({ run, points: 16, cursor: null });
      if (reached(frame)) return;
      if (frame.status === 'failed') throw new Error(`${run} failed: ${frame.error?.message}`);
      await sleep(100);
    }
  };
  const first = await start(mlp);
  await until(first, ({ status }) => status === 'completed');
  const second = await start(mlp, ['"lr": 0.001', '"lr": 0.01']);
  await until(second, ({ status }) => status === 'completed');

  const page = await chromium.context.newPage();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  /** @typedef {{ address: string, shows: RegExp, layer?: number }} Picture */
  /** @param {string} name @param {Picture} picture */
  const take = async (name, { address, shows, layer }) => {
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      await engine.settings.set({ theme });
      await page.goto('about:blank');
      await page.goto(`${url}${address}`);
      await page.getByText(shows).first().waitFor();
      await page.getByTitle('Device and memory').getByText('GiB').waitFor();
      await page.evaluate(() => document.fonts.ready);
      if (layer !== undefined)
        await page
          .getByRole('treeitem')
          .nth(layer)
          .click({ position: { x: 200, y: 16 } });
      await page.mouse.move(720, 890);
      await sleep(1200);
      const file = path.join(folder, `${name}-${theme}.png`);
      const small = toPalette(await page.screenshot());
      writeFileSync(file, small);
      process.stdout.write(`${file} ${(small.length / 1024).toFixed(0)} KiB\n`);
    }
  };
  const project = `?project=${encodeURIComponent(cnn.file)}`;
  const runs = [first, second].map((run) => path.basename(run));
  await take('home', { address: '#/', shows: /Recent projects/ });
  await take('data', { address: `#/data${project}`, shows: /8,000 samples/ });
  await take('build', { address: `#/build${project}`, shows: /Cross entropy/, layer: 3 });
  await take('train', { address: `#/train${project}`, shows: /Before you start/ });
  await take('compare', { address: `#/compare/${runs.join(',')}`, shows: /differ/ });
  await take('runs', { address: `#/runs/${runs[1]}`, shows: /Completed/ });
  const live = await start(cnn);
  await until(live, ({ epoch }) => epoch >= 4);
  await take('monitor', { address: `#/runs/${path.basename(live)}/monitor${project}`, shows: /Learning rate/ });
  await engine.runs.act({ run: live, action: 'discard' }).catch(() => {});
} finally {
  close();
  await chromium.close();
  service.kill('SIGTERM');
  await ended;
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
