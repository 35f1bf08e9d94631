/** What Train and Build let a person set of a training, each by mouse and by keyboard; the schedule drawn before the run; finders and checks. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { chooseByKeys, focusByTab, openProject, press, projectOf, quick, saved, writeProject } from './actions.ts';
import { noBrowser, useStudio } from './studio.ts';

/** A choice, a switch or a number of a group of Train, and what the project holds then. */
interface Setting {
  group: string;
  control: string;
  kind: 'choice' | 'switch' | 'number';
  /** Of an option: what is typed to find it; of a number: its digits. */
  typed?: string;
  path: string;
  value: unknown;
}

const settings: readonly Setting[] = [
  { group: 'Optimizer', control: 'Optimizer', kind: 'choice', typed: 'SGD', path: 'optimizer.kind', value: 'SGD' },
  { group: 'Optimizer', control: 'Momentum', kind: 'number', typed: '0.9', path: 'optimizer.momentum', value: 0.9 },
  {
    group: 'Optimizer',
    control: 'Decay norms and biases',
    kind: 'switch',
    path: 'decay_norms_and_biases',
    value: false,
  },
  {
    group: 'Schedule',
    control: 'Schedule',
    kind: 'choice',
    typed: 'CosineAnnealingLR',
    path: 'schedule.kind',
    value: 'CosineAnnealingLR',
  },
  { group: 'Schedule', control: 'Lowest rate', kind: 'number', typed: '1e-5', path: 'schedule.eta_min', value: 1e-5 },
  { group: 'Schedule', control: 'Warm-up', kind: 'switch', path: 'schedule.warmup', value: { steps: 2 } },
  { group: 'Schedule', control: 'Lasts', kind: 'number', typed: '7', path: 'schedule.warmup.steps', value: 7 },
  {
    group: 'Loss and metrics',
    control: 'Add a metric',
    kind: 'choice',
    typed: 'F1 score',
    path: 'metrics',
    value: ['accuracy', { kind: 'f1_score', average: 'macro' }],
  },
  {
    group: 'Device and precision',
    control: 'Precision',
    kind: 'choice',
    typed: 'bf16',
    path: 'precision',
    value: 'bf16',
  },
  {
    group: 'Regularisation',
    control: 'Clip gradient values',
    kind: 'number',
    typed: '0.5',
    path: 'clip_grad_value',
    value: 0.5,
  },
  { group: 'Regularisation', control: 'MixUp', kind: 'switch', path: 'mixup', value: {} },
  { group: 'Regularisation', control: 'Averaged weights', kind: 'switch', path: 'ema', value: {} },
  { group: 'Regularisation', control: 'Decay', kind: 'number', typed: '0.99', path: 'ema.decay', value: 0.99 },
  {
    group: 'Batch and loader',
    control: 'Activation checkpointing',
    kind: 'switch',
    path: 'activation_checkpointing',
    value: true,
  },
  { group: 'Batch and loader', control: 'Accumulate', kind: 'number', typed: '2', path: 'accumulate', value: 2 },
  {
    group: 'Checkpoints and stopping',
    control: 'Every so many steps',
    kind: 'number',
    typed: '50',
    path: 'checkpoint.every_steps',
    value: 50,
  },
  {
    group: 'Checkpoints and stopping',
    control: 'Keep the best',
    kind: 'number',
    typed: '3',
    path: 'checkpoint.top_k',
    value: 3,
  },
  { group: 'Checkpoints and stopping', control: 'Early stopping', kind: 'switch', path: 'early_stopping', value: {} },
  {
    group: 'Checkpoints and stopping',
    control: 'Patience',
    kind: 'number',
    typed: '4',
    path: 'early_stopping.patience',
    value: 4,
  },
];

function settingAt(page: Page, path: string): unknown {
  let at: unknown = projectOf(page).training;
  for (const key of path.split('.')) at = (at as Record<string, unknown> | undefined)?.[key];
  return at;
}

const group = (page: Page, title: string) =>
  page.getByRole('main').getByRole('button', { name: new RegExp(`^${title}`) });
const region = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });

function controlOf(page: Page, { group: title, control, kind }: Setting) {
  const role = kind === 'choice' ? 'combobox' : kind === 'switch' ? 'switch' : 'textbox';
  return region(page, title).getByRole(role, { name: control, exact: true });
}

async function holds(page: Page, { path, value }: Setting): Promise<void> {
  await expect.poll(() => settingAt(page, path)).toEqual(value);
}

async function folded(page: Page, title: string): Promise<boolean> {
  return (await group(page, title).getAttribute('aria-expanded')) === 'false';
}

describe.skipIf(noBrowser)('Train', () => {
  const studio = useStudio();

  test('takes each setting by mouse, and undoes it', async () => {
    const page = await openProject(studio, writeProject(studio, 'mouse', quick('mouse')), 'train');
    await group(page, 'Optimizer').waitFor();
    const before = projectOf(page);
    for (const setting of settings) {
      if (await folded(page, setting.group)) await group(page, setting.group).click();
      const control = controlOf(page, setting);
      if (setting.kind === 'number') await control.fill(setting.typed ?? '');
      // What is drawn of a switch is its label: a person clicks that.
      else if (setting.kind === 'switch') await control.click({ force: true });
      else {
        await control.click();
        await page
          .getByRole('option', { name: new RegExp(`^${setting.typed}\\b`) })
          .first()
          .click();
      }
      await holds(page, setting);
    }
    await saved(page);
    for (
      let left = 2 * settings.length;
      left > 0 && JSON.stringify(projectOf(page)) !== JSON.stringify(before);
      left--
    ) {
      await press(page, 'Control+z');
      await saved(page);
    }
    expect(projectOf(page)).toEqual(before);
  });

  test('takes each setting by keyboard', async () => {
    const page = await openProject(studio, writeProject(studio, 'keys', quick('keys')), 'train');
    await group(page, 'Optimizer').waitFor();
    for (const setting of settings) {
      if (await folded(page, setting.group)) {
        await focusByTab(page, group(page, setting.group));
        await page.keyboard.press('Enter');
      }
      await focusByTab(page, controlOf(page, setting));
      if (setting.kind === 'switch') await page.keyboard.press('Space');
      else if (setting.kind === 'number') await page.keyboard.type(setting.typed ?? '');
      else await chooseByKeys(page, setting.typed ?? '');
      await holds(page, setting);
    }
  });

  test('draws the planned learning rate before the run, a line for each layer that has its own', async () => {
    const file = writeProject(studio, 'drawn', {
      ...quick('drawn', { epochs: 4, schedule: { kind: 'OneCycleLR' }, optimizer: { kind: 'SGD', lr: 0.1 } }),
      model: {
        layers: [
          { kind: 'Linear', out_features: 16, train: { lr: 0.01 } },
          { kind: 'ReLU' },
          { kind: 'Linear', out_features: 3 },
        ],
      },
    });
    const page = await openProject(studio, file, 'train');
    await group(page, 'Schedule').click();
    const chart = page.getByRole('img', { name: /^Planned learning rate, from 0 to/ });
    // Each rate climbs to its own peak, which lies between two of these few steps.
    await expect
      .poll(() => chart.getAttribute('aria-label'))
      .toMatch(/Layer 2: .*highest 0\.09975.*Layer 0: .*highest 0\.009975/);
    await page.getByRole('img', { name: /^Planned momentum/ }).waitFor();
    await region(page, 'Schedule').getByRole('combobox', { name: 'Schedule' }).click();
    await page.getByRole('option', { name: /^None/ }).click();
    await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/lowest 0\.1 at 0, highest 0\.1/);
    await expect.poll(() => projectOf(page).training).not.toHaveProperty('schedule');
  });

  test('finds a learning rate and takes it at a click, as one step of undo', async () => {
    const page = await openProject(studio, writeProject(studio, 'rate', quick('rate')), 'train');
    await group(page, 'Optimizer').click();
    await page.getByRole('button', { name: 'Find learning rate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Find learning rate' });
    await dialog.getByLabel('From').fill('1e-4');
    await dialog.getByRole('button', { name: 'Search', exact: true }).click();
    const use = dialog.getByRole('button', { name: /^Use / });
    await use.waitFor({ timeout: 60_000 });
    await dialog.getByRole('img', { name: /^Loss over learning rate/ }).waitFor();
    const suggested = Number((await use.textContent())?.replace('Use ', ''));
    expect(suggested).toBeGreaterThan(0);
    await use.click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => settingAt(page, 'optimizer.lr')).toBe(suggested);
    await press(page, 'Control+z');
    await expect.poll(() => settingAt(page, 'optimizer.lr')).toBe(0.01);
  });

  test('a search is cancelled, and a batch size is found', async () => {
    const page = await openProject(studio, writeProject(studio, 'batch', quick('batch')), 'train');
    await group(page, 'Batch and loader').click();
    await page.getByRole('button', { name: 'Find batch size' }).click();
    const dialog = page.getByRole('dialog', { name: 'Find batch size' });
    const search = dialog.getByRole('button', { name: 'Search', exact: true });
    await search.click();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await search.waitFor();
    await search.click();
    const use = dialog.getByRole('button', { name: /^Use \d+/ });
    await use.waitFor({ timeout: 80_000 });
    expect(await dialog.getByRole('row').count()).toBeGreaterThan(2);
    const size = Number((await use.textContent())?.replace(/\D/g, ''));
    await use.click();
    await expect.poll(() => (projectOf(page).data as { loader: { batch_size: number } }).loader.batch_size).toBe(size);
  });

  test('starts from what an earlier run has learned, and tells before what of it fits', async () => {
    const engine = await studio.engine();
    const text = JSON.stringify(quick('base', { epochs: 1 }));
    const { run } = await engine.runs.start({ file: writeProject(studio, 'base', text), text });
    const status = async () => (await engine.runs.watch({})).runs.find(({ folder }) => folder === run)?.status;
    await expect.poll(status, { timeout: 30_000 }).toBe('completed');
    const layers = [16, 8, 3].map((out_features) => ({ kind: 'Linear', out_features }));
    const page = await openProject(
      studio,
      writeProject(studio, 'tuned', { ...quick('tuned'), model: { layers } }),
      'train',
    );
    await group(page, 'Starting weights').click();
    await region(page, 'Starting weights').getByRole('combobox', { name: 'An earlier run' }).click();
    await page.getByRole('option', { name: /^base-001/ }).click();
    await region(page, 'Starting weights').getByText('3 of 6 tensors fit').waitFor();
    await page.getByText('Starting weights: 3 of 6 tensors fit').waitFor();
    await region(page, 'Starting weights')
      .getByRole('button', { name: /^Missing: 2/ })
      .click();
    const list = (name: string) => page.getByRole('list', { name }).getByRole('listitem').allTextContents();
    expect(await list('Missing')).toEqual(['1.weight', '1.bias']);
    await region(page, 'Starting weights')
      .getByRole('button', { name: /^Differently shaped: 1/ })
      .click();
    expect(await list('Differently shaped')).toEqual(['2.weight: 3×16 there, 3×8 here']);
  });

  test('proves that a resumed run is the same', async () => {
    const page = await openProject(studio, writeProject(studio, 'proved', quick('proved')), 'train');
    await group(page, 'Advanced').click();
    await page.getByRole('button', { name: 'Check that runs repeat' }).click();
    const dialog = page.getByRole('dialog', { name: 'Check that runs repeat' });
    await dialog.getByLabel('Steps').fill('12');
    await dialog.getByRole('button', { name: 'Check resume' }).click();
    await dialog.getByText('Resumed from').waitFor({ timeout: 80_000 });
    expect(await dialog.getByText('First difference').count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('Build', () => {
  const studio = useStudio();
  const layersOf = (page: Page) => (projectOf(page).model as { layers: { train?: object }[] }).layers;
  const card = (page: Page, name: RegExp) => page.getByRole('treeitem', { name }).first();
  const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });

  test('freezes layers, gives them rates and initial weights, by mouse', async () => {
    const page = await openProject(studio, writeProject(studio, 'layers', quick('layers')));
    await card(page, /^Linear/).click({ position: { x: 120, y: 16 } });
    await inspector(page)
      .getByRole('button', { name: /^Training/ })
      .click();
    expect(await inspector(page).getByRole('textbox', { name: 'Learning rate' }).getAttribute('placeholder')).toBe(
      '0.01 (network)',
    );
    await inspector(page).getByRole('textbox', { name: 'Learning rate' }).fill('0.002');
    await inspector(page).getByRole('combobox', { name: 'Initial weights' }).click();
    await page.getByRole('option', { name: /^Kaiming, normal/ }).click();
    await inspector(page).getByRole('combobox', { name: 'Initial bias' }).click();
    await page.getByRole('option', { name: /^Zeros/ }).click();
    await expect
      .poll(() => layersOf(page)[0]?.train)
      .toEqual({ lr: 0.002, init: { kind: 'kaiming_normal', bias: 'zeros' } });
    await inspector(page).getByRole('switch', { name: 'Freeze' }).click({ force: true });
    await card(page, /^Linear/)
      .getByRole('img', { name: 'frozen' })
      .waitFor();
    await press(page, 'Control+z');
    await card(page, /^Linear/)
      .getByRole('img', { name: 'frozen' })
      .waitFor({ state: 'detached' });
  });

  test('changes several layers at once, by keyboard', async () => {
    const page = await openProject(studio, writeProject(studio, 'several', quick('several')));
    await card(page, /^Linear/).waitFor();
    await page.keyboard.press('Control+a');
    await inspector(page).getByText('3 layers selected').waitFor();
    const fold = inspector(page).getByRole('button', { name: /^Training/ });
    await focusByTab(page, fold);
    if ((await fold.getAttribute('aria-expanded')) === 'false') await page.keyboard.press('Enter');
    await focusByTab(page, inspector(page).getByRole('textbox', { name: 'Weight decay' }));
    await page.keyboard.type('0.05');
    await expect
      .poll(() => layersOf(page).map(({ train }) => train))
      .toEqual([{ weight_decay: 0.05 }, undefined, { weight_decay: 0.05 }]);
    await press(page, 'Control+z');
    await expect.poll(() => layersOf(page).some(({ train }) => train !== undefined)).toBe(false);
  });
});
