/** The window: sandboxed, with its own scheme, its port to the engine, and nothing that it could leave by. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeApp, useApp, writeProject } from './app.ts';
import { launchEnvironment, launchWords } from './electron.ts';

describeApp('the window', () => {
  const tested = useApp();
  const { shared } = tested;

  test('opens on its own scheme, sandboxed, without Node, and reaches the engine', async () => {
    const { page, app, home } = await shared();
    expect(await page.title()).toBe('Gradloom');
    expect(page.url()).toMatch(/^gradloom:\/\/app\/index\.html/);
    expect(
      await page.evaluate(() =>
        ['require', 'process', 'module', 'Buffer', 'electron'].filter((name) => name in window),
      ),
    ).toEqual([]);
    const preferences = await app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
        getLastWebPreferences(): Record<string, unknown>;
      };
      const { sandbox, contextIsolation, nodeIntegration } = contents.getLastWebPreferences();
      return { sandbox, contextIsolation, nodeIntegration };
    });
    expect(preferences).toEqual({ sandbox: true, contextIsolation: true, nodeIntegration: false });
    await page.getByText('Engine ready').waitFor();
    // Answered by `about`, over the port.
    await page.evaluate(() => (window.location.hash = '#/settings'));
    await page.getByText(home).first().waitFor();
  });

  test('serves files of the build only, with a strict policy', async () => {
    const { page } = await shared();
    const answers = await page.evaluate(async () => {
      const status = async (address: string) =>
        fetch(address).then(
          (answer) => answer.status,
          () => 'refused',
        );
      const own = await fetch('/index.html');
      return {
        policy: own.headers.get('content-security-policy') ?? '',
        nonce: document.querySelector('meta[name=csp-nonce]')?.getAttribute('content'),
        found: own.status,
        foreign: await Promise.all(
          [
            '/.vite/manifest.json',
            '/../electron/main.cjs',
            '/%2e%2e/electron/main.cjs',
            '/..%2felectron%2fmain.cjs',
            '/assets/../../main.js',
            '/assets/',
            '/nothing.js',
          ].map(status),
        ),
        beyond: await Promise.all(
          ['gradloom://other/index.html', '//etc/passwd', 'file:///etc/passwd', 'http://127.0.0.1:9/'].map(status),
        ),
      };
    });
    expect(answers.found).toBe(200);
    expect(answers.policy).toContain("default-src 'none'");
    expect(answers.policy).toContain("script-src 'self';");
    expect(answers.policy).not.toContain('unsafe');
    expect(answers.nonce).toMatch(/^[A-Za-z0-9+/]{22}==$/);
    expect(answers.foreign).toEqual(answers.foreign.map(() => 404));
    expect(answers.beyond).toEqual(['refused', 'refused', 'refused', 'refused']);
  });

  test('main answers the app’s own page only', async () => {
    const { app } = await shared();
    const said = await app.evaluate(async ({ BrowserWindow }) => {
      const own = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
        getLastWebPreferences(): { preload: string };
      };
      const { preload } = own.getLastWebPreferences();
      const foreign = new BrowserWindow({
        show: false,
        webPreferences: { preload, sandbox: true, contextIsolation: true },
      });
      await foreign.loadURL('data:text/html,<title>foreign</title>');
      const ask = `Promise.all([
        gradloomShell.restartService(), gradloomShell.showInFolder('/'), gradloomShell.pickFolder({ title: 'x' }),
      ].map((call) => call.then(() => 'answered', (error) => error.message)))`;
      const answers = await foreign.webContents.executeJavaScript(ask);
      const port = await foreign.webContents.executeJavaScript(`new Promise((resolve) => {
        window.addEventListener('message', (event) => resolve(event.ports.length > 0));
        gradloomShell.connect();
        setTimeout(() => resolve(false), 700);
      })`);
      foreign.destroy();
      return { answers, port };
    });
    expect(said.port).toBe(false);
    for (const answer of said.answers) expect(answer).toContain('is for Gradloom');
  });

  test('cannot be led away, opens no other window, gets no permission', async () => {
    const { page, app } = await shared();
    const before = page.url();
    const permissions = await page.evaluate(async () => {
      const media = await navigator.mediaDevices.getUserMedia({ audio: true }).then(
        () => 'given',
        () => 'refused',
      );
      return { media, notifications: await Notification.requestPermission() };
    });
    expect(permissions).toEqual({ media: 'refused', notifications: 'denied' });
    await page.evaluate(() => {
      const link = document.createElement('a');
      link.href = 'https://example.org/';
      document.body.append(link);
      link.click();
      window.location.href = 'file:///etc/passwd';
    });
    await page.waitForTimeout(500);
    // Last, and seen from main: the debugger would wait for the window that never comes.
    await page.evaluate(() => void setTimeout(() => window.open('https://example.org/')));
    await page.waitForTimeout(500);
    const addresses = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.webContents.getURL()),
    );
    expect(addresses).toEqual([before]);
  });

  test('a second start opens its project in the first one’s window and ends', async () => {
    const first = await tested.start();
    await first.page.getByText('Engine ready').waitFor();
    const file = writeProject(first.home, 'second-start', { epochs: 1 });
    const options = { ...tested.options(), words: [file] };
    const second = spawn(tested.electron.executable, launchWords(tested.electron, options, first.profile), {
      env: launchEnvironment(options, first.home),
      stdio: 'ignore',
    });
    const [code] = await once(second, 'exit');
    expect(code).toBe(0);
    await first.page.waitForURL((url) => url.hash.includes('second-start.gradloom.json'));
    await first.page.getByText('second-start').first().waitFor();
    expect(first.app.windows()).toHaveLength(1);
  });

  test('what was edited a moment before the app was quit is saved', async () => {
    const { app, page, home } = await tested.start();
    const file = writeProject(home, 'quick-quit', { epochs: 1 });
    await page.getByText('Engine ready').waitFor();
    await app.evaluate(({ app }, file) => app.emit('open-file', { preventDefault() {} }, file), file);
    await page.waitForURL((url) => url.hash.includes('quick-quit.gradloom.json'));
    await page.evaluate(() => {
      const search = window.location.hash.split('?')[1] ?? '';
      window.location.hash = `#/data?${search}`;
    });
    const nothing = page.getByRole('radiogroup', { name: 'Validate on' }).getByText('Nothing');
    await nothing.waitFor();
    const exited = once(app.process(), 'exit');
    await nothing.click();
    await app.evaluate(({ app }) => app.quit()).catch(() => {});
    await exited;
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ data: { split: { val: 0 } } });
  });

  test('the menu reaches the page; recent projects and the window’s place are kept', async () => {
    const first = await tested.start();
    const file = writeProject(first.home, 'kept', { epochs: 1 });
    const { profile, home } = first;
    await first.page.getByText('Engine ready').waitFor();
    const choose = (name: string) =>
      first.app.evaluate(({ Menu }, name) => Menu.getApplicationMenu()?.getMenuItemById(name)?.click(), name);
    await choose('devices');
    await first.page.waitForURL((url) => url.hash.startsWith('#/devices'));
    await first.app.evaluate(({ app }, file) => app.emit('open-file', { preventDefault() {} }, file), file);
    await first.page.waitForURL((url) => url.hash.includes('kept.gradloom.json'));
    await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(1111, 777));
    await first.app.evaluate(({ app }) => app.quit()).catch(() => {});
    await once(first.app.process(), 'exit');
    const again = await tested.start({ profile, home });
    const kept = await again.app.evaluate(({ BrowserWindow, Menu }) => ({
      size: BrowserWindow.getAllWindows()[0]?.getSize(),
      recent: Menu.getApplicationMenu()
        ?.getMenuItemById('recent')
        ?.submenu?.items.map(({ label }) => label),
    }));
    expect(kept.size).toEqual([1111, 777]);
    expect(kept.recent).toEqual([`kept — ${home}`]);
  });
});
