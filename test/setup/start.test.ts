/** Which shell `npm start` opens: Electron where its binary can be had and a window be shown, else the browser, and it says why. */
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as electronModule from '../../native/setup/electron.mjs';
import type * as startModule from '../../native/setup/start.mjs';
import { Checkout } from './checkout.ts';

describe.skipIf(process.platform !== 'linux')('npm start', () => {
  let checkout: Checkout;
  let said: string[];
  let electron: typeof electronModule;
  let start: typeof startModule.start;
  const progress = { say: (text: string) => void said.push(text), bytes() {}, count() {}, clear() {} };

  beforeEach(async () => {
    checkout = new Checkout();
    said = [];
    checkout.write('node_modules/electron/package.json', JSON.stringify({ name: 'electron', version: '45.0.0' }));
    checkout.write('dist/.keep', '');
    vi.stubEnv('GRADLOOM_CACHE', checkout.cache);
    vi.stubEnv('INIT_CWD', checkout.folder);
    vi.stubEnv('DISPLAY', ':0');
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    // Its own copy: where the modules lie says which checkout is meant.
    const load = (name: string) => import(pathToFileURL(checkout.path('native', 'setup', name)).href);
    electron = await load('electron.mjs');
    start = (await load('start.mjs')).start;
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    checkout.remove();
  });

  /** An installer as the package's own: this script. */
  const installer = (script: string) => checkout.write('node_modules/electron/install.js', script);
  const log = () => checkout.path('log');
  const logged = () => (existsSync(log()) ? readFileSync(log(), 'utf8').trim().split('\n') : []);

  /** A binary that notes its words and ends so. */
  function installed(exitCode: number): void {
    checkout.write('node_modules/electron/path.txt', 'electron');
    const script = `#!/bin/sh\necho "$@" >> '${log()}'\nexit ${exitCode}\n`;
    checkout.write('node_modules/electron/dist/electron', script, 0o755);
  }

  test.each([
    ['no screen', 'linux', {}, 1000, 'no screen'],
    ['X', 'linux', { DISPLAY: ':0' }, 1000, null],
    ['Wayland', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, 1000, null],
    ['root', 'linux', { DISPLAY: ':0' }, 0, 'root'],
    ['macOS', 'darwin', {}, 0, null],
    ['Windows', 'win32', {}, undefined, null],
  ])('whether a window can be opened: %s', (_name, platform, env, uid, expected) => {
    expect(electron.obstacle({ platform: platform as NodeJS.Platform, env, uid })).toBe(expected);
  });

  test('opens the app in Electron, with the project that was named', async () => {
    installed(0);
    const file = checkout.write('mine.gradloom.json', '{}');
    expect(await start(['mine.gradloom.json'], progress)).toEqual({ code: 0 });
    expect(logged()).toEqual([`${checkout.folder} ${file}`]);
    expect(electron.expectedShell()).toEqual({ electron: true, why: 'Electron 45.0.0' });
  });

  test('an Electron that cannot open a window gives way to the browser', async () => {
    installed(133);
    expect(await start([], progress)).toEqual({ serve: ['serve'] });
    expect(said.join('\n')).toContain('exit code 133');
  });

  test('the binary is fetched once, by the package’s own installer', async () => {
    installer(`
      const fs = require('node:fs');
      const path = require('node:path');
      fs.appendFileSync(${JSON.stringify(log())}, 'fetched\\n');
      fs.mkdirSync(path.join(__dirname, 'dist'));
      fs.writeFileSync(path.join(__dirname, 'dist', 'electron'), '#!/bin/sh\\nexit 0\\n', { mode: 0o755 });
      fs.writeFileSync(path.join(__dirname, 'path.txt'), 'electron');
    `);
    expect(electron.expectedShell().why).toContain('to be fetched at the first start');
    expect(await start([], progress)).toEqual({ code: 0 });
    expect(await start([], progress)).toEqual({ code: 0 });
    expect(logged()).toEqual(['fetched']);
    expect(said).toEqual(['Fetching Electron 45.0.0…']);
  });

  test('one that cannot be had is not asked for at every start', async () => {
    installer(`
      require('node:fs').appendFileSync(${JSON.stringify(log())}, 'tried\\n');
      console.error(new Error('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND github.invalid') }));
      process.exit(1);
    `);
    expect(await start([], progress)).toEqual({ serve: ['serve'] });
    expect(await start([], progress)).toEqual({ serve: ['serve'] });
    expect(logged()).toEqual(['tried']);
    expect(said.at(-1)).toContain('ENOTFOUND github.invalid');
    expect(electron.expectedShell()).toMatchObject({ electron: false, why: expect.stringContaining('ENOTFOUND') });
    const failure = checkout.path('dist', 'electron-not-fetched.txt');
    utimesSync(failure, 0, 0);
    await start([], progress);
    expect(logged()).toEqual(['tried', 'tried']);
  });

  test('without a screen it says so; the browser can be asked for', async () => {
    installed(0);
    expect(await start(['--browser'], progress)).toEqual({ serve: ['serve'] });
    expect(said).toEqual([]);
    vi.stubEnv('DISPLAY', '');
    vi.stubEnv('WAYLAND_DISPLAY', '');
    expect(await start([], progress)).toEqual({ serve: ['serve'] });
    expect(said.join('\n')).toContain('shows no screen');
    expect(logged()).toEqual([]);
  });

  test('words that are no project are the call’s fault', async () => {
    await expect(start(['nowhere.gradloom.json'], progress)).rejects.toMatchObject({ code: 'BAD_CALL' });
    await expect(start(['--verbose'], progress)).rejects.toMatchObject({ code: 'BAD_CALL' });
  });
});
