// @ts-check
/**
 * The bench of the window, in Chromium through the browser shell: time to use, typing in a deep stack, charts of a million points, frames
 * and training beside each other, idleness, memory. `npm run bench:ui -- [--quick] [--json] [--only PART]`
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startChromium } from '../e2e/browser.mjs';
import { connectEngine } from '../e2e/engine-connection.mjs';
import { root } from '../suites.mjs';
import { buildParts } from './build-parts.mjs';
import { browserBetween, browserTimes, processTime } from './processes.mjs';
import { frames, median, pageMemory, quantile, timeToUse, typingTimes } from './ui-measures.mjs';
import { measureTraining, measureWatching } from './ui-watching.mjs';

const quick = process.argv.includes('--quick');
const onlyAt = process.argv.indexOf('--only');
/** One of the parts alone: use, plan, typing, charts, idle, watching, training, memory. */
const only = onlyAt < 0 ? null : process.argv[onlyAt + 1];
const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-bench-ui-'));
process.env.GRADLOOM_HOME = home;

/** @typedef {{ name: string, value: number, unit: string, budget?: { most?: number, least?: number } }} Figure */
/** @type {Figure[]} */
const figures = [];

/** @param {string} name @param {number} value @param {string} unit @param {Figure['budget']} [budget] */
function tell(name, value, unit, budget) {
  figures.push({ name, value, unit, ...(budget ? { budget } : {}) });
  process.stderr.write(`${name}: ${shown(value)} ${unit}\n`);
}

/** @param {number} value */
const shown = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));
/** @param {number} seconds */
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** @returns {Promise<{ url: string, pid: number, end: () => Promise<void> }>} */
async function startService() {
  const child = spawn(process.execPath, [path.join(root, 'dist', 'cli.js'), 'serve', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line);
      if (event.type === 'serve') resolve(event.url);
    });
    child.on('close', (code) => reject(new Error(`The service ended with ${code}`)));
  });
  return {
    url,
    pid: Number(child.pid),
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** @param {string} name @param {() => Promise<void>} work */
async function measure(name, work) {
  if (only === null || only === name) await work();
}

/** @param {string} name @param {string} text */
function project(name, text) {
  const folder = path.join(home, 'projects');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.gradloom.json`);
  writeFileSync(file, text);
  return file;
}

const parts = await buildParts('ui-parts');
const began = performance.now();
const service = await startService();
const serviceMs = performance.now() - began;
const chromium = await startChromium();
const { engine, close } = await connectEngine(service.url);
const { origin } = new URL(service.url);

try {
  const page = await chromium.context.newPage();
  await page.goto(`${service.url}#/`);
  await page.getByText('Engine ready').waitFor();
  const deep = project('deep', parts.deepProject(200));
  const quickRun = JSON.stringify({
    ...JSON.parse(parts.deepProject(4)),
    name: 'long',
    training: { epochs: 2, device: 'cpu' },
  });

  // Time to use.
  await measure('use', async () => {
    await timeToUse(page, `${service.url}#/`);
    const uses = [];
    for (let i = 0; i < (quick ? 3 : 9); i++) uses.push(await timeToUse(page, `${origin}/#/`));
    tell('window usable, warm', median(uses), 'ms', { most: 1500 });
    tell('service listens', serviceMs, 'ms');
  });

  // Plans of 200 layers, without the window.
  await measure('plan', async () => {
    tell('200 layers planned again', median(parts.timePlans(parts.deepProject(200), 50)), 'ms', { most: 5 });
    const mixed = parts.timeMixedPlans(200, 50);
    tell(`200 layers of ${mixed.kinds} kinds planned`, median(mixed.times), 'ms', { most: 5 });
    for (const { fault, times } of parts.timeBrokenPlans(quick ? 10 : 50)) {
      tell(`200 layers, ${fault}, planned`, median(times), 'ms', { most: 5 });
    }
  });

  // A stack of 200 layers.
  await measure('typing', async () => {
    await page.goto(`${origin}/#/build?project=${encodeURIComponent(deep)}`);
    await page
      .getByRole('treeitem')
      .nth(100)
      .click({ position: { x: 200, y: 16 } });
    await page.getByRole('textbox', { name: 'Outputs' }).click();
    await page.keyboard.press('End');
    const digits = Array.from({ length: quick ? 10 : 30 }, (_, i) => (i % 2 === 0 ? '1' : 'Backspace'));
    const { work, paint } = await typingTimes(page, digits);
    tell('a key in 200 layers, until the window has done its work', median(work), 'ms');
    tell('a key in 200 layers, until it is painted', median(paint), 'ms', { most: 50 });
    tell('the slowest of 20 keys, until it is painted', quantile(paint, 0.95), 'ms', { most: 100 });
  });

  // Charts at a million stored points.
  await measure('charts', async () => {
    const { run } = await engine.runs.start({ file: project('long', quickRun), text: quickRun });
    await ended(run);
    const steps = quick ? 100_000 : 1_000_000;
    parts.writeLongRun(run, steps);
    const wanted = steps.toLocaleString('en-US');
    const opened = performance.now();
    await page.goto(`${origin}/#/runs/${path.basename(run)}/monitor`);
    const chart = page.getByRole('img', { name: new RegExp(`^Loss, from [\\d,]+ to ${wanted}`) });
    await chart.waitFor({ timeout: 60_000 });
    tell(`charts of ${wanted} steps, first opening`, performance.now() - opened, 'ms');
    const again = performance.now();
    await page.reload();
    await chart.waitFor({ timeout: 60_000 });
    tell(`charts of ${wanted} steps, opened again`, performance.now() - again, 'ms', { most: 1500 });
    const box = await chart.boundingBox();
    if (!box) throw new Error('The chart has no place');
    const y = box.y + box.height / 2;
    const moving = await frames(page, 3, async () => {
      for (let i = 0; i < 60; i++) await page.mouse.move(box.x + 60 + ((7 * i) % (box.width - 120)), y);
    });
    tell('frames while the crosshair moves', moving.rate, '/s', { least: 30 });
    const zoomed = performance.now();
    await page.mouse.move(box.x + 0.4 * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, y, { steps: 5 });
    await page.mouse.up();
    await page
      .getByRole('button', { name: /^Show all/ })
      .first()
      .waitFor();
    tell('zoom into a tenth', performance.now() - zoomed, 'ms', { most: 500 });
  });

  // Idle: the window open on a page, nothing going on.
  await measure('idle', async () => {
    await page.goto(`${origin}/#/build?project=${encodeURIComponent(deep)}`);
    await sleep(3);
    const idleSeconds = quick ? 5 : 20;
    const look = async () => ({ window: await browserTimes(chromium.context), service: processTime(service.pid) });
    const before = await look();
    await sleep(idleSeconds);
    const after = await look();
    const share = (/** @type {number} */ cpu) => (100 * cpu) / idleSeconds;
    const ofWindow = [...browserBetween(before.window, after.window).values()].reduce((sum, cpu) => sum + cpu, 0);
    if (before.service !== null && after.service !== null)
      tell('service when idle', share(after.service - before.service), '% of a core', { most: 2 });
    tell('window when idle', share(ofWindow), '% of a core', { most: 2 });
  });

  // A run, and somebody who looks on.
  const watched = { engine, page, origin, service: service.pid, quick, tell };
  await measure('watching', () => measureWatching(watched));
  await measure('training', () => measureTraining(watched));

  // An hour's worth of updates, as fast as they can be shown.
  await measure('memory', async () => {
    const second = await engine.runs.start({ file: project('replay', quickRun), text: quickRun });
    await ended(second.run);
    await page.goto('about:blank');
    const replay = await parts.serveReplay(second.run);
    const hour = quick ? 3_600 : 36_000;
    await page.goto(`${replay.url}#/runs/${path.basename(second.run)}/monitor`);
    const sizes = [];
    const replayBegan = performance.now();
    for (const share of [0.1, 0.25, 0.5, 0.75, 1]) {
      while (replay.frames() < share * hour) {
        if (page.isClosed()) throw new Error('The window was closed');
        await sleep(0.2);
      }
      sizes.push({ share, ...(await pageMemory(page)) });
      process.stderr.write(`  ${JSON.stringify(sizes.at(-1))}\n`);
    }
    tell(`${hour.toLocaleString('en-US')} updates shown`, hour / ((performance.now() - replayBegan) / 1000), '/s');
    const [first, last] = [sizes[0], sizes.at(-1)];
    if (first && last) {
      tell('objects after the first tenth', first.heap / 1e6, 'MB');
      tell('objects at the end, against the first tenth', last.heap / first.heap, '×', { most: 1.5 });
      tell('elements at the end, against the first tenth', last.nodes / first.nodes, '×', { most: 1.5 });
    }
    await replay.close();
  });
} finally {
  close();
  await chromium.close();
  await service.end();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

/** @param {string} run */
async function ended(run) {
  for (;;) {
    const { status } = await engine.runs.follow({ run, points: 16, cursor: null });
    if (status === 'completed') return;
    await sleep(0.1);
  }
}

/** @param {Figure} figure */
function judged({ value, budget }) {
  if (!budget) return '';
  const { most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY } = budget;
  const words = budget.most === undefined ? `≥ ${budget.least}` : `≤ ${budget.most}`;
  return `${words} ${value <= most && value >= least ? 'kept' : 'MISSED'}`;
}

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ quick, figures }, null, 2)}\n`);
else {
  const width = Math.max(0, ...figures.map(({ name }) => name.length));
  for (const figure of figures) {
    process.stdout.write(
      `${figure.name.padEnd(width)}  ${`${shown(figure.value)} ${figure.unit}`.padEnd(16)}  ${judged(figure)}\n`,
    );
  }
}
