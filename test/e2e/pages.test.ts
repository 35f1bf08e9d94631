/** Every address and both themes: pages that are there, pages that are not, and windows without a token. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { quick, writeProject } from './actions.ts';
import { axeFaults } from './axe.ts';
import { noBrowser, useStudio } from './studio.ts';

describe.skipIf(noBrowser)('the window', () => {
  const studio = useStudio();

  test('without a token says how to get in, and lets the pasted address in', async () => {
    studio.allow(/401|426|WebSocket connection/);
    const page = await studio.blank();
    await page.context().clearCookies();
    await page.goto(`${studio.origin}/#/devices`);
    await page.getByText('This window is not signed in').waitFor();
    await page.getByLabel('Address or token').fill(`${studio.origin}/?token=${studio.token}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor();
    // Neither address bar nor history keep the token.
    expect(page.url()).toBe(`${studio.origin}/#/devices`);
  });

  test('an address that leads nowhere says so', async () => {
    const page = await studio.open('#/nowhere');
    await page.getByText('There is no such page').waitFor();
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('There is no such page').waitFor();
  });

  test('Devices tells what there is and asks again', async () => {
    const page = await studio.open('#/devices');
    const card = page.getByRole('region', { name: 'cpu' });
    await card.getByRole('meter', { name: 'Memory in use' }).waitFor();
    await page.getByText('No GPU is used').waitFor();
    await page.getByRole('region', { name: 'Versions' }).getByText('libtorch').waitFor();
    const asked = page.getByText(/^asked /);
    const before = await asked.getAttribute('title');
    await page.waitForTimeout(1000);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await expect.poll(() => asked.getAttribute('title')).not.toBe(before);
  });

  test('the theme is applied at once, kept, and known to the next window', async () => {
    const page = await studio.open('#/settings');
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    const theme = page.getByRole('radiogroup', { name: 'Theme' });
    await theme.getByText('Dark').click();
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    await page.reload();
    await page.getByText('Engine ready').waitFor();
    expect(await background()).toBe(dark);
    await theme.getByText('As the system').click();
    await expect.poll(background).toBe(light);
    const engine = await studio.engine();
    await expect.poll(async () => (await engine.settings.get()).theme).toBe('system');
  });

  test('threads take a whole number, or nothing', async () => {
    const page = await studio.open('#/settings');
    const engine = await studio.engine();
    const field = page.getByLabel('Threads');
    await field.fill('two');
    await page.getByText(/^A whole number from 1 to \d+/).waitFor();
    await field.fill('1');
    await field.press('Enter');
    await expect.poll(async () => (await engine.settings.get()).threads).toBe(1);
    await field.fill('');
    await field.press('Enter');
    await expect.poll(async () => (await engine.settings.get()).threads).toBe(null);
  });
});

/** Pages as they are with a project open and two runs done; `before` brings up what is not there at first. */
const pages: {
  name: string;
  address: string;
  with: 'project' | 'nothing';
  before?: (page: Page) => Promise<unknown>;
}[] = [
  { name: 'home', address: '#/', with: 'nothing' },
  { name: 'no project', address: '#/build', with: 'nothing' },
  { name: 'data', address: '#/data', with: 'project' },
  {
    name: 'a sample of the data',
    address: '#/data',
    with: 'project',
    before: async (page) => {
      await page.getByRole('option', { name: 'Sample 0,' }).click();
      await page.getByRole('complementary').getByText('Leave out').waitFor();
    },
  },
  { name: 'build', address: '#/build', with: 'project' },
  {
    name: 'a layer',
    address: '#/build',
    with: 'project',
    before: (page) =>
      page
        .getByRole('treeitem')
        .nth(1)
        .click({ position: { x: 200, y: 16 } }),
  },
  {
    name: 'how a layer is trained',
    address: '#/build',
    with: 'project',
    before: async (page) => {
      await page
        .getByRole('treeitem')
        .nth(0)
        .click({ position: { x: 200, y: 16 } });
      await page
        .getByRole('complementary', { name: 'Inspector' })
        .getByRole('button', { name: /^Training/ })
        .click();
    },
  },
  {
    name: 'train, everything open',
    address: '#/train',
    with: 'project',
    before: async (page) => {
      const sections = page.getByRole('main').getByRole('region').getByRole('button', { expanded: false });
      for (let i = await sections.count(); i > 0; i--) await sections.first().click();
    },
  },
  ...(
    [
      ['Optimizer', 'Find learning rate'],
      ['Batch and loader', 'Find batch size'],
      ['Advanced', 'Check that runs repeat'],
    ] as const
  ).map(([group, button]) => ({
    name: button.toLowerCase(),
    address: '#/train',
    with: 'project' as const,
    before: async (page: Page) => {
      await page
        .getByRole('main')
        .getByRole('button', { name: new RegExp(`^${group}`) })
        .click();
      await page.getByRole('button', { name: button }).click();
    },
  })),
  {
    name: 'kinds of optimizer',
    address: '#/train',
    with: 'project',
    before: async (page) => {
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Optimizer/ })
        .click();
      await page.getByRole('combobox', { name: 'Optimizer' }).click();
    },
  },
  {
    name: 'a new project',
    address: '#/',
    with: 'nothing',
    before: (page) => page.getByText('New empty project').click(),
  },
  { name: 'monitor', address: '#/runs/first-001/monitor', with: 'nothing' },
  { name: 'an autopsy', address: '#/runs/explodes-001/monitor', with: 'nothing' },
  {
    name: 'train longer',
    address: '#/runs/first-001/monitor',
    with: 'nothing',
    before: (page) => page.getByRole('button', { name: 'Train longer' }).click(),
  },
  { name: 'runs', address: '#/runs/first-001', with: 'nothing' },
  { name: 'comparison', address: '#/compare/first-001,second-001', with: 'nothing' },
  {
    name: 'export',
    address: '#/runs/first-001/monitor',
    with: 'nothing',
    before: (page) => page.getByRole('button', { name: 'Export' }).click(),
  },
  { name: 'commands', address: '#/devices', with: 'nothing', before: (page) => page.keyboard.press('Control+k') },
  { name: 'devices', address: '#/devices', with: 'nothing' },
  { name: 'settings', address: '#/settings', with: 'nothing' },
  { name: 'nowhere', address: '#/nowhere', with: 'nothing' },
];

describe.skipIf(noBrowser)('axe finds no serious fault', () => {
  const studio = useStudio();
  let file = '';

  beforeAll(async () => {
    if (noBrowser) return;
    const engine = await studio.engine();
    for (const name of ['first', 'second', 'explodes']) {
      const training =
        name === 'explodes' ? { optimizer: { kind: 'SGD', lr: 1e9 } } : { schedule: { kind: 'OneCycleLR' } };
      const text = JSON.stringify(quick(name, training));
      await engine.runs.start({ file: writeProject(studio, name, text), text });
    }
    ({ file } = await engine.projects.create({ template: 'digits-cnn' }));
  });

  test.each(['light', 'dark'] as const)('%s', { timeout: 180_000 }, async (theme) => {
    await (await studio.engine()).settings.set({ theme });
    const found: { [page: string]: string[] } = {};
    for (const { name, address, with: needed, before } of pages) {
      const page = await studio.open(needed === 'project' ? `${address}?project=${encodeURIComponent(file)}` : address);
      await page.getByRole('heading', { level: 1 }).or(page.getByRole('heading')).first().waitFor();
      await page.waitForTimeout(400);
      await before?.(page);
      await page.waitForTimeout(300);
      const faults = await axeFaults(page);
      if (faults.length > 0) found[name] = faults;
      await page.close();
    }
    expect(found).toEqual({});
  });
});
