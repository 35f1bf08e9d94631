// @ts-check
/** What it costs a run that somebody looks on: CPU time of each process while Monitor is open, and the training's rate with and without. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { browserBetween, browserTimes, mainThreadTime, processTime } from './processes.mjs';
import { frames, median } from './ui-measures.mjs';

/**
 * @typedef {object} Watched
 * @property {import('../e2e/engine-connection.mjs').EngineConnection['engine']} engine
 * @property {import('playwright-core').Page} page
 * @property {string} origin
 * @property {number} service its process
 * @property {boolean} quick
 * @property {(name: string, value: number, unit: string, budget?: { most?: number, least?: number }) => void} tell
 */

/** @param {number} seconds */
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** How long the run has gone on before it is looked at: the lines of a young one grow fast, and their axes with them. */
const youthSeconds = 30;

/**
 * Trains the digits perceptron while `work` lasts.
 * @param {Watched} watched
 * @param {(run: string) => Promise<void>} work
 */
async function whileTraining({ engine }, work) {
  const mlp = await engine.projects.create({ template: 'digits-mlp' });
  const text = mlp.text.replace(/"epochs": \d+/, '"epochs": 100000');
  const { run } = await engine.runs.start({ file: mlp.file, text });
  try {
    await work(run);
  } finally {
    await engine.runs.act({ run, action: 'discard' });
  }
}

/** @param {Watched} watched @param {string} run */
async function openMonitor({ page, origin }, run) {
  await page.goto(`${origin}/#/runs/${path.basename(run)}/monitor`);
  await page.getByRole('img', { name: /^Loss, from/ }).waitFor();
}

/**
 * CPU time of every process of the window and of the service while somebody looks on. It says what watching takes from the training, and
 * hardly moves with what else goes on on the machine, as the rates do.
 * @param {Watched} watched
 */
export async function measureWatching(watched) {
  const { page, service, quick, tell } = watched;
  await whileTraining(watched, async (run) => {
    const { pid: worker } = JSON.parse(readFileSync(path.join(run, 'live.json'), 'utf8'));
    const look = async () => ({
      at: performance.now(),
      window: await browserTimes(page.context()),
      service: processTime(service) ?? Number.NaN,
      worker: mainThreadTime(worker) ?? Number.NaN,
    });
    const shares = async () => {
      const before = await look();
      await sleep(quick ? 10 : 30);
      const after = await look();
      const of = (/** @type {number} */ seconds) => (100_000 * seconds) / (after.at - before.at);
      return {
        window: [...browserBetween(before.window, after.window)].map(([part, cpu]) => ({ part, share: of(cpu) })),
        service: of(after.service - before.service),
        worker: of(after.worker - before.worker),
      };
    };
    const core = '% of a core';
    await page.goto('about:blank');
    await sleep(quick ? 5 : youthSeconds);
    const alone = await shares();
    await openMonitor(watched, run);
    await sleep(3);
    const looking = await shares();
    for (const { part, share } of looking.window) tell(`watching: Chromium's ${part}`, share, core);
    tell('watching: service', looking.service, core);
    const all = looking.window.reduce((sum, { share }) => sum + share, looking.service);
    tell('watching: window and service together', all, core, { most: 8 });
    tell('service without a window', alone.service, core);
    tell("the run's own JavaScript while watched", looking.worker, core);
    tell("the run's own JavaScript without a window", alone.worker, core);
    tell('watching: pictures of the loss', await paints(page, quick ? 4 : 10), '/s', { least: 2 });
  });
}

/**
 * How often the first chart is painted. By wrapping, not by asking for frames, which would cost more than all that is measured.
 * @param {import('playwright-core').Page} page
 * @param {number} seconds
 * @returns {Promise<number>} a second
 */
async function paints(page, seconds) {
  return page.evaluate(async (ms) => {
    const canvas = document.querySelector('canvas');
    const context = canvas?.getContext('2d');
    const clear = CanvasRenderingContext2D.prototype.clearRect;
    let count = 0;
    CanvasRenderingContext2D.prototype.clearRect = function (...area) {
      if (this === context) count += 1;
      clear.apply(this, area);
    };
    await new Promise((resolve) => setTimeout(resolve, ms));
    CanvasRenderingContext2D.prototype.clearRect = clear;
    return (1000 * count) / ms;
  }, 1000 * seconds);
}

/**
 * The rate with and without somebody who looks on, in turn; and the frames that the window can show meanwhile.
 * @param {Watched} watched
 */
export async function measureTraining(watched) {
  const { page, quick, tell } = watched;
  await whileTraining(watched, async (run) => {
    const seconds = quick ? 4 : 8;
    const ratios = [];
    const rates = [];
    const slowest = [];
    await page.goto('about:blank');
    await sleep(5);
    for (let round = 0; round < (quick ? 2 : 5); round++) {
      await page.goto('about:blank');
      await sleep(1);
      const alone = await stepRate(watched, run, seconds);
      await openMonitor(watched, run);
      await sleep(1);
      ratios.push((await stepRate(watched, run, seconds)) / alone);
      // Not at the same time: to count sixty frames a second costs the training more than the window's own few.
      const { rate, longest } = await frames(page, quick ? 2 : 4);
      rates.push(rate);
      slowest.push(longest);
    }
    tell('training with Monitor visible, against without a window', median(ratios), '×', { least: 0.9 });
    tell('frames of Monitor while training', median(rates), '/s', { least: 30 });
    tell('the longest wait for a frame meanwhile', median(slowest), 'ms');
  });
}

/**
 * Steps a second, by what the engine counts.
 * @param {Watched} watched
 * @param {string} run
 * @param {number} seconds
 */
async function stepRate({ engine }, run, seconds) {
  const at = async () => {
    const { step } = await engine.runs.follow({ run, points: 16, cursor: null });
    return { step, time: performance.now() };
  };
  const from = await at();
  await sleep(seconds);
  const to = await at();
  return (1000 * (to.step - from.step)) / (to.time - from.time);
}
