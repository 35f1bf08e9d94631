/** Training in the app: first steps from a template, and what becomes of a run when a process dies or the window is closed. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import {
  answerQuestion,
  describeApp,
  questions,
  servicePid,
  summaryOf,
  useApp,
  workerPid,
  writeProject,
} from './app.ts';
import type { Launched } from './electron.ts';

/** Waits until the newest epoch that the window shows is at least this one. */
function epochShown(page: Page, epoch: number): Promise<unknown> {
  return page.waitForFunction((epoch) => {
    const shown = /epoch (\d+)/i.exec(document.querySelector('footer')?.textContent ?? '')?.[1];
    return shown !== undefined && Number(shown) >= epoch;
  }, epoch);
}

describeApp('training', () => {
  const tested = useApp();
  const homes: string[] = [];
  afterAll(() => {
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });

  /** The app with a run that lasts until it is ended. */
  async function startLongRun(name: string): Promise<Launched> {
    const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-home-'));
    homes.push(home);
    const started = await tested.start({ home, words: [writeProject(home, name, { epochs: 10_000 })] });
    await started.page.getByText('No problems').waitFor();
    await started.page.getByRole('button', { name: 'Train', exact: true }).click();
    await epochShown(started.page, 2).catch(async (thrown) => {
      const text = await started.page.evaluate(() => document.body.textContent);
      throw new Error(`${thrown}\nThe page:\n${text}\nThe processes:\n${started.complaints()}`);
    });
    return started;
  }

  test('first steps: a template, its stack, a run to its end', async () => {
    const { page, home } = await tested.start();
    await page.getByRole('button', { name: /New project from Digits, fully connected/ }).click();
    await page.waitForURL((url) => url.hash.startsWith('#/build'));
    await page.getByText('Flatten').first().waitFor();
    await page.getByText('Linear').first().waitFor();
    await page.getByRole('button', { name: 'Train', exact: true }).click();
    await page.waitForURL((url) => /#\/runs\/.*\/monitor/.test(url.hash));
    await page.getByRole('button', { name: 'Train longer' }).waitFor();
    expect(summaryOf(home, 'digits-mlp-001')).toMatchObject({ status: 'completed', epoch: 10 });
  });

  test('a killed worker: the run is interrupted, and Resume goes on with it', async () => {
    const { page, home } = await startLongRun('killed-worker');
    const run = 'killed-worker-001';
    const { epoch } = summaryOf(home, run);
    process.kill(workerPid(home, run), 'SIGKILL');
    await page.getByText('This run was interrupted').waitFor();
    expect(summaryOf(home, run).status).toBe('interrupted');
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await epochShown(page, epoch + 2);
  });

  test('a killed service: shown, the run saved, both started again', async () => {
    const started = await startLongRun('killed-service');
    const { page, home } = started;
    const run = 'killed-service-001';
    const worker = workerPid(home, run);
    process.kill(await servicePid(started), 'SIGKILL');
    await page.getByText('The engine has stopped').waitFor();
    await expect.poll(() => existsSync(path.join(home, 'runs', run, 'live.json'))).toBe(false);
    expect(summaryOf(home, run).status).toBe('interrupted');
    await expect.poll(() => existsSync(`/proc/${worker}`)).toBe(false);
    await page.getByRole('button', { name: 'Start the engine again' }).click();
    await page.getByText('Engine ready').waitFor();
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await epochShown(page, summaryOf(home, run).epoch + 1);
  });

  test('closing with a live run asks: cancelled, kept in the background, shown again, parked', async () => {
    const started = await startLongRun('closing');
    const { app, home } = started;
    const run = 'closing-001';
    const isVisible = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible());
    const close = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

    await answerQuestion(started, 'Cancel');
    await close();
    await expect.poll(() => questions(started)).toEqual([`${run} is still training`]);
    expect(await isVisible()).toBe(true);

    await answerQuestion(started, 'Keep training in the background');
    await close();
    await expect.poll(isVisible).toBe(false);
    const { epoch } = summaryOf(home, run);
    await expect.poll(() => summaryOf(home, run).epoch).toBeGreaterThan(epoch);
    await app.evaluate(({ app }) => app.emit('second-instance', {}, [], '/'));
    await expect.poll(isVisible).toBe(true);

    await answerQuestion(started, 'Park');
    const exited = once(app.process(), 'exit');
    await close().catch(() => {});
    expect(await exited).toEqual([0, null]);
    expect(summaryOf(home, run).status).toBe('parked');
  });

  test('closing with a live run: stopped, its result kept', async () => {
    const started = await startLongRun('stopping');
    await answerQuestion(started, 'Stop');
    const exited = once(started.app.process(), 'exit');
    await started.app.evaluate(({ app }) => app.quit()).catch(() => {});
    expect(await exited).toEqual([0, null]);
    expect(summaryOf(started.home, 'stopping-001').status).toBe('stopped');
  });

  test('a signal ends the app without a question; its run is saved', async () => {
    const { app, home } = await startLongRun('signalled');
    const exited = once(app.process(), 'exit');
    app.process().kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(summaryOf(home, 'signalled-001').status).toBe('interrupted');
  });
});
