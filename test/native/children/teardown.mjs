// One way for a process to end while a session is at work, by name. Arguments: addon, plan file, steps, way.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const [addonPath = '', planFile = '', stepsText = '', way = ''] = process.argv.slice(2);
const steps = Number(stepsText);
const request = { epoch: 0, batch: 0, steps, groups: [{ lr: Array(steps).fill(0.01) }] };
/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const module = { exports: /** @type {any} */ ({}) };
process.dlopen(module, addonPath);
/** @type {import('../../../engine/contract/native.ts').Addon} */
const addon = module.exports;
const collect = /** @type {() => void} */ (globalThis.gc);

const open = () => addon.createSession(readFileSync(planFile, 'utf8'));
const threads = () => Number(/^Threads:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

/** @type {Record<string, () => Promise<void>>} */
const ways = {
  async 'exit in mid-chunk'() {
    const session = await open();
    session.trainSteps(request);
    await pause(150);
    process.exit(7);
  },
  async 'exit while building'() {
    open();
    process.exit(7);
  },
  async 'exit while writing random data'() {
    addon.writeRandom({
      shape: [1000],
      classes: 2,
      target_shape: [],
      samples: 20000,
      seed: 1,
      input: `${planFile}.i`,
      target: `${planFile}.t`,
    });
    process.exit(7);
  },
  async 'exception in mid-chunk'() {
    const session = await open();
    session.trainSteps(request);
    await pause(150);
    process.on('uncaughtException', () => process.exit(7));
    throw new Error('on purpose');
  },
  async 'end with an idle session'() {
    await open();
    process.exitCode = 7;
  },
  async 'end with a running session'() {
    const session = await open();
    await session.trainSteps({ ...request, steps: 5 });
    process.exitCode = 7;
  },
  async 'unclosed sessions are collected'() {
    const before = threads();
    for (let i = 0; i < 20; ++i) await open();
    for (let i = 0; i < 20 && threads() > before + 2; ++i) {
      collect();
      await pause(20);
    }
    process.exit(threads() <= before + 2 ? 7 : 1);
  },
  async 'a running session is not collected'() {
    const running = (await open()).trainSteps({ ...request, steps: 2000 });
    for (let i = 0; i < 10; ++i) {
      collect();
      await pause(10);
    }
    process.exit((await running).steps === 2000 ? 7 : 1);
  },
  async 'a worker ends in mid-chunk'() {
    const worker = new Worker(new URL(import.meta.url), { argv: [addonPath, planFile, stepsText, 'only train'] });
    await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
    const session = await open();
    const { steps: done } = await session.trainSteps({ ...request, steps: 5 });
    await session.close();
    process.exit(done === 5 ? 7 : 1);
  },
  async 'a worker ends by itself'() {
    const worker = new Worker(new URL(import.meta.url), {
      argv: [addonPath, planFile, stepsText, 'end with an idle session'],
    });
    const code = await new Promise((resolve) => worker.once('exit', resolve));
    process.exit(code === 7 ? 7 : 1);
  },
  async 'exit beside a working worker'() {
    const worker = new Worker(new URL(import.meta.url), { argv: [addonPath, planFile, stepsText, 'only train'] });
    const session = await open();
    session.trainSteps(request);
    await new Promise((resolve) => worker.once('message', resolve));
    process.exit(7);
  },
  async 'only train'() {
    const { parentPort } = await import('node:worker_threads');
    const session = await open();
    session.trainSteps(request);
    await pause(100);
    parentPort?.postMessage('training');
  },
};

await ways[way]?.();
