/** The package: electron-builder's configuration holds, packs the app around the Electron of the tests, and what it packs starts and trains. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build, type Configuration, Platform } from 'electron-builder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import config from '../../electron/builder.config.mjs';
import { stageAddon, withWay } from '../../native/setup/package.mjs';
import { appDir, describeApp, summaryOf, useApp, writeProject } from './app.ts';
import { root } from './electron.ts';

const packed = path.join(root, 'dist', 'harness-package');
const inRoot = (folder: string) => path.relative(root, folder).split(path.sep).join('/');

describeApp('the package', () => {
  const tested = useApp();
  let app: string;
  let resources: string;

  beforeAll(async () => {
    rmSync(packed, { recursive: true, force: true });
    await stageAddon();
    const { executable, compat } = tested.electron;
    const overrides = compat === null ? { electronDist: path.dirname(executable) } : around(executable, compat);
    await build({
      projectDir: root,
      targets: Platform.current().createTarget('dir'),
      publish: 'never',
      config: { ...config, ...overrides, directories: { ...config.directories, output: packed } },
    });
    const folder = readdirSync(packed).find((name) => name.endsWith('-unpacked')) ?? '';
    app = path.join(packed, folder, process.platform === 'win32' ? 'Gradloom.exe' : 'gradloom');
    resources = path.join(packed, folder, 'resources');
  });

  afterAll(() => rmSync(packed, { recursive: true, force: true }));

  /** The same package with the parts that were built for the old Electron, started through what that one lacks. */
  function around(executable: string, compat: string): Configuration {
    const built = inRoot(path.join(appDir(), 'dist'));
    const start = path.join(appDir(), 'start');
    mkdirSync(start, { recursive: true });
    const first = `require(${JSON.stringify(compat)}); require('./dist/electron/main.cjs');`;
    writeFileSync(path.join(start, 'harness-main.cjs'), first);
    const files = (config.files as string[]).filter((pattern) => !pattern.startsWith('dist/'));
    const own = (config.files as string[]).filter((pattern) => pattern.startsWith('dist/'));
    return {
      files: [
        ...files,
        { from: built, to: 'dist', filter: [...own.map((pattern) => pattern.slice('dist/'.length)), '!**/*.map'] },
        { from: inRoot(start), to: '.', filter: ['harness-main.cjs'] },
      ],
      asarUnpack: [...(config.asarUnpack as string[]), `${built}/*.js`, `${built}/chunks/**`],
      electronDist: path.dirname(executable),
      electronVersion: readFileSync(path.join(path.dirname(executable), 'version'), 'utf8')
        .trim()
        .replace(/^v/, ''),
      extraMetadata: { main: 'harness-main.cjs' },
    };
  }

  test('the configuration is one that electron-builder knows, for every system', async () => {
    const require = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
    const { validateConfiguration } = require('app-builder-lib/out/util/config/config');
    const { DebugLogger } = require('builder-util');
    await validateConfiguration(config, new DebugLogger(false));
    await expect(validateConfiguration({ ...config, nonsense: 1 }, new DebugLogger(false))).rejects.toThrow('nonsense');
    expect([config.linux?.target, config.win?.target, config.mac?.target]).toEqual([
      ['AppImage', 'deb'],
      ['nsis'],
      ['dmg'],
    ]);
  });

  test('the engine lies unpacked, the window in the archive, the addon finds its libraries beside itself', () => {
    const unpacked = path.join(resources, 'app.asar.unpacked');
    for (const name of [
      'dist/main.js',
      'dist/worker.js',
      'dist/provision.js',
      'native/setup/fetch.py',
      'node_modules/zod',
    ])
      expect(existsSync(path.join(unpacked, name)), name).toBe(true);
    for (const name of ['dist/renderer', 'dist/electron', 'node_modules/react', 'node_modules/vite'])
      expect(existsSync(path.join(unpacked, name)), name).toBe(false);
    const addon = readFileSync(path.join(resources, 'native', 'gradloom.node'));
    const { libtorch } = JSON.parse(readFileSync(path.join(root, 'dist', 'native.json'), 'utf8'));
    expect(addon.includes(`\0${path.join(libtorch.path, 'lib')}\0`)).toBe(false);
    expect(addon.includes('$ORIGIN/libtorch/lib')).toBe(process.platform === 'linux');
  });

  test('the first start says what it lacks, tries again on request, then opens the app, which trains', async () => {
    const cache = mkdtempSync(path.join(os.tmpdir(), 'gradloom-cache-'));
    const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-home-'));
    const libtorch = path.join(cache, 'pytorch');
    const started = await tested.start({
      appDir: null,
      executable: app,
      home,
      words: [writeProject(home, 'packed', { epochs: 1 })],
      env: { GRADLOOM_CACHE: cache, GRADLOOM_LIBTORCH: libtorch, GRADLOOM_NATIVE: '' },
    });
    const first = started.page;
    await first.getByText('GRADLOOM_LIBTORCH is set, but').waitFor();
    symlinkSync(JSON.parse(readFileSync(path.join(root, 'dist', 'native.json'), 'utf8')).libtorch.path, libtorch);
    const opening = started.app.waitForEvent('window', { timeout: 60_000 });
    await first.getByRole('button', { name: 'Try again' }).click();
    const page = await opening;
    await page.getByText('No problems').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Train', exact: true }).click();
    await expect.poll(() => existsSync(path.join(home, 'runs', 'packed-001', 'summary.json'))).toBe(true);
    await expect.poll(() => summaryOf(home, 'packed-001').status).toBe('completed');
    rmSync(cache, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  });
});

test('a library’s way to others is replaced in place, or not at all', () => {
  const library = Buffer.from('head\0/long/way/to/the/libraries\0tail');
  expect(withWay(library, '/long/way/to/the/libraries', '$ORIGIN/x').toString()).toBe(
    `head\0$ORIGIN/x${'\0'.repeat(17)}\0tail`,
  );
  expect(() => withWay(library, '/elsewhere', '$ORIGIN/x')).toThrow('does not name /elsewhere');
  expect(() => withWay(library, 'tail', '$ORIGIN/x')).toThrow();
});
