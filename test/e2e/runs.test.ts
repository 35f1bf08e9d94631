/** Runs: trained, watched, found again after a reload, paused, parked, stopped, killed; exported, compared, deleted and brought back. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { go, openProject, openTemplate, quick, toast, writeProject } from './actions.ts';
import { connectionLoss, noBrowser, type Studio, useStudio } from './studio.ts';

const isLive = (status: string) => ['queued', 'preparing', 'running', 'paused'].includes(status);

/** Up to which step the chart is drawn. */
async function drawnTo(page: Page): Promise<number> {
  const label = await page.getByRole('img', { name: /^Loss, from/ }).getAttribute('aria-label');
  return Number(/to ([\d,]+)\./.exec(label ?? '')?.[1]?.replaceAll(',', '') ?? 0);
}

const primary = (page: Page, name: string) => page.getByRole('banner').getByRole('button', { name, exact: true });
const actions = (page: Page) => page.getByRole('group', { name: /^Actions on / });
const state = (page: Page, words: string) => page.getByRole('main').getByText(words, { exact: true }).first();

/** As the format's description says: the header's length, the header, the values. */
function tensorsIn(file: Buffer): { name: string; shape: number[]; values: Float32Array }[] {
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + length)) as {
    [name: string]: { dtype: string; shape: number[]; data_offsets: [number, number] };
  };
  const { __metadata__: _, ...tensors } = header;
  return Object.entries(tensors).map(
    ([
      name,
      {
        dtype,
        shape,
        data_offsets: [from, to],
      },
    ]) => {
      expect(dtype).toBe('F32');
      const bytes = file.subarray(8 + length + from, 8 + length + to);
      return { name, shape, values: new Float32Array(new Uint8Array(bytes).buffer) };
    },
  );
}

/** A run that goes on until it is stopped. */
async function endless(studio: Studio, name: string): Promise<Page> {
  const page = await openProject(studio, writeProject(studio, name, quick(name, { epochs: 100_000 })), 'train');
  await primary(page, 'Train').click();
  await state(page, 'Running').waitFor({ timeout: 30_000 });
  await expect.poll(() => drawnTo(page)).toBeGreaterThan(0);
  return page;
}

async function menu(page: Page, button: string, item: string | RegExp): Promise<void> {
  await actions(page).getByRole('button', { name: button }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe.skipIf(noBrowser)('a run', () => {
  const studio = useStudio();

  // A run that a failed test has left would take the button that the next one needs.
  afterEach(async () => {
    const engine = await studio.engine();
    for (const run of (await engine.runs.watch({})).runs) {
      if (isLive(run.status)) await engine.runs.act({ run: run.folder, action: 'discard' });
    }
  });

  test('of the template is trained to its end, exported, and the file holds its weights', async () => {
    const page = await openTemplate(studio, 'Digits, fully connected');
    await primary(page, 'Train').click();
    await state(page, 'Completed').waitFor({ timeout: 60_000 });
    await expect.poll(() => drawnTo(page)).toBe(320);
    await actions(page).getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export digits-mlp-001' });
    await dialog.getByText('safetensors').first().click();
    await dialog.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: /^Download/ }).click(),
    ]);
    const tensors = tensorsIn(readFileSync(await download.path()));
    expect(tensors.map(({ name }) => name).filter((name) => name.endsWith('weight'))).toHaveLength(3);
    expect(tensors.map(({ shape }) => shape)).toContainEqual([10]);
    for (const { values } of tensors) {
      expect(values.length).toBeGreaterThan(0);
      expect(values.every(Number.isFinite)).toBe(true);
      expect(values.some((value) => value !== 0)).toBe(true);
    }
  });

  test('moves on screen, and goes on without a gap after a reload and in a second window', async () => {
    const page = await endless(studio, 'moving');
    const before = await drawnTo(page);
    await expect.poll(() => drawnTo(page)).toBeGreaterThan(before);
    await page.reload();
    await state(page, 'Running').waitFor();
    await expect.poll(() => drawnTo(page)).toBeGreaterThan(before);
    const second = await studio.open(new URL(page.url()).hash);
    await expect.poll(() => drawnTo(second)).toBeGreaterThan(before);
    await menu(second, 'Stop', /^Stop/);
    await state(page, 'Stopped').waitFor();
    await state(second, 'Stopped').waitFor();
    // Every step that was taken is drawn: the same in both, and as many as the engine counts.
    const engine = await studio.engine();
    const { runs } = await engine.runs.watch({});
    const run = runs.find(({ name }) => name === 'moving-001');
    expect(run?.status).toBe('stopped');
    const steps = Number(run?.summary?.step);
    await expect.poll(() => drawnTo(page)).toBe(steps);
    await expect.poll(() => drawnTo(second)).toBe(steps);
    const frame = await engine.runs.follow({ run: run?.folder ?? '', points: 8192, cursor: null });
    const values = new Float64Array(Uint8Array.from(Buffer.from(frame.series.values, 'base64')).buffer);
    const { buckets, size } = frame.series;
    for (let i = 1; i < buckets; i++) expect(Number(values[i]) - Number(values[i - 1])).toBeLessThanOrEqual(size);
    expect(buckets * size).toBeGreaterThanOrEqual(steps);
  });

  test('is paused, continued, parked and resumed from any page', async () => {
    const page = await endless(studio, 'patient');
    await primary(page, 'Pause').click();
    await state(page, 'Paused').waitFor();
    // The chart's words follow its lines after a moment.
    await page.waitForTimeout(1500);
    const paused = await drawnTo(page);
    await page.waitForTimeout(1500);
    expect(await drawnTo(page)).toBe(paused);
    await go(page, 'Devices');
    await primary(page, 'Continue').click();
    await primary(page, 'Pause').waitFor();
    await go(page, 'Monitor');
    await state(page, 'Running').waitFor();
    await expect.poll(() => drawnTo(page)).toBeGreaterThan(paused);
    await menu(page, 'Pause', /^Park/);
    await page.getByText('This run is parked').waitFor();
    const parked = await drawnTo(page);
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await state(page, 'Running').waitFor({ timeout: 30_000 });
    await expect.poll(() => drawnTo(page)).toBeGreaterThan(parked);
    await menu(page, 'Stop', /^Discard/);
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.url()).toContain('#/runs?');
    expect(await page.getByRole('row', { name: /^patient/ }).count()).toBe(0);
  });

  test('starts and stops many times in a row and ends right', async () => {
    const file = writeProject(studio, 'often', quick('often', { epochs: 100_000 }));
    const page = await openProject(studio, file, 'train');
    for (let i = 0; i < 4; i++) {
      await primary(page, 'Train').click();
      await primary(page, 'Pause').waitFor({ timeout: 30_000 });
      await menu(page, 'Stop', /^Stop/);
      await primary(page, 'Train').waitFor({ timeout: 30_000 });
      await expect.poll(() => primary(page, 'Train').isEnabled()).toBe(true);
    }
    const { runs } = await (await studio.engine()).runs.watch({});
    const mine = runs.filter(({ name }) => name.startsWith('often-'));
    expect(mine.map(({ status }) => status)).toEqual(Array(4).fill('stopped'));
  });

  test('whose process is killed is told, and resumed', async () => {
    const page = await endless(studio, 'killed');
    for (const pid of studio.workers()) process.kill(pid, 'SIGKILL');
    await page.getByText('This run was interrupted').waitFor({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await state(page, 'Running').waitFor({ timeout: 30_000 });
    await menu(page, 'Stop', /^Stop/);
    await state(page, 'Stopped').waitFor();
  });

  test('that cannot start says why, where it is mended', async () => {
    const project = quick('lost') as { data: { source: object } };
    project.data.source = { kind: 'idx', path: '../data/nowhere' };
    const page = await openProject(studio, writeProject(studio, 'lost', project), 'build');
    await page.getByText('nowhere', { exact: false }).first().waitFor();
    await go(page, 'Train');
    await primary(page, 'Train')
      .or(page.getByRole('button', { name: /^Fix/ }))
      .first()
      .click();
    await page
      .getByText(/nowhere/)
      .first()
      .waitFor();
  });

  test('that there is none of says so', async () => {
    const page = await studio.open('#/runs/nobody/monitor');
    await page.getByText('There is no run nobody').waitFor();
    await page.goto(`${studio.origin}/#/runs/nobody`);
    await page.getByText('There is no run nobody').waitFor();
    await page.goto(`${studio.origin}/#/compare/nobody,noone`);
    await page.getByText('There is no run noone').waitFor();
  });
});

describe.skipIf(noBrowser)('runs side by side', () => {
  const studio = useStudio();

  test('are compared, renamed, noted, deleted and brought back', async () => {
    const engine = await studio.engine();
    for (const [name, lr] of [
      ['slow', 0.001],
      ['fast', 0.05],
    ] as const) {
      const text = JSON.stringify(quick(name, { optimizer: { kind: 'Adam', lr } }));
      await engine.runs.start({ file: writeProject(studio, name, text), text });
    }
    const page = await studio.open('#/runs');
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
    await row('slow-001').getByText('Completed').waitFor({ timeout: 30_000 });
    await row('fast-001').getByText('Completed').waitFor({ timeout: 30_000 });
    await row('slow-001').click();
    await row('fast-001').click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Compare runs' }).waitFor();
    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByText('0.05').first().waitFor();
    await settings.getByText('0.001').first().waitFor();
    await page.reload();
    await page.getByRole('img', { name: /loss, from \d+ to \d+/i }).waitFor();

    await page
      .getByRole('button', { name: 'All runs' })
      .or(page.getByRole('link', { name: 'All runs' }))
      .first()
      .click();
    await row('slow-001').click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name of the run').fill('turtle');
    await page.keyboard.press('Enter');
    await row('turtle').waitFor();
    await page.getByRole('textbox', { name: /note/i }).fill('slow but sure');
    await page.getByRole('heading', { name: 'Runs', exact: true }).click();
    const notes = async () => (await engine.runs.watch({})).runs.find(({ name }) => name === 'turtle')?.notes;
    await expect.poll(notes).toBe('slow but sure');
    await row('turtle').click();
    await page.keyboard.press('Delete');
    await toast(page, 'turtle was deleted').waitFor();
    await row('turtle').waitFor({ state: 'hidden' });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await row('turtle').waitFor();
    expect(await notes()).toBe('slow but sure');
  });
});

describe.skipIf(noBrowser)('a service that is killed while a run goes on', () => {
  const studio = useStudio();

  test('leaves a run that was interrupted, and the window resumes it when the service is back', async () => {
    studio.allow(connectionLoss, /^4\d\d \/rpc/);
    const page = await endless(studio, 'orphan');
    const { port } = studio;
    await studio.killService();
    await page.getByText('The connection to the engine is lost').waitFor();
    await studio.startService(port);
    await page.getByLabel('Address or token').fill(studio.token, { timeout: 20_000 });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This run was interrupted').waitFor({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await state(page, 'Running').waitFor({ timeout: 30_000 });
    await menu(page, 'Stop', /^Stop/);
    await state(page, 'Stopped').waitFor();
  });
});
