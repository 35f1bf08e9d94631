/** Every address and both themes: pages that are there, pages that are not, and windows without a token. */
import { describe, expect, test } from 'vitest';
import { axeFaults } from './axe.ts';
import { noBrowser, useStudio } from './studio.ts';

describe.skipIf(noBrowser)('the window', () => {
  const studio = useStudio();

  test('without a token says how to get in, and lets the pasted address in', async () => {
    studio.allow(/401|WebSocket connection/);
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
    expect((await (await studio.engine()).settings.get()).theme).toBe('system');
  });

  test('threads take a whole number, or nothing', async () => {
    const page = await studio.open('#/settings');
    const engine = await studio.engine();
    const field = page.getByLabel('Threads');
    await field.fill('two');
    await page.getByText('A whole number from 1 to 1024').waitFor();
    await field.fill('1');
    await field.press('Enter');
    await expect.poll(async () => (await engine.settings.get()).threads).toBe(1);
    await field.fill('');
    await field.press('Enter');
    await expect.poll(async () => (await engine.settings.get()).threads).toBe(null);
  });
});

describe.skipIf(noBrowser)('axe finds no serious fault', () => {
  const studio = useStudio();

  for (const theme of ['light', 'dark'] as const) {
    for (const address of ['#/devices', '#/settings', '#/nowhere']) {
      test(`${address}, ${theme}`, async () => {
        await (await studio.engine()).settings.set({ theme });
        const page = await studio.open(address);
        await page.waitForTimeout(400);
        expect(await axeFaults(page)).toEqual([]);
      });
    }
  }
});
