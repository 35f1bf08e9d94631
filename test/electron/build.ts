/**
 * The app as the tests launch it. For the package's own Electron that is the checkout itself; for an older one, which ELECTRON_HARNESS names,
 * the same sources are built once more, for its Chromium and its Node.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, mergeConfig, type UserConfig } from 'vite';
import { contentSignature, listFiles } from '../../native/setup/files.mjs';
import { findElectron, root } from './electron.ts';
import { expandWhere } from './where.ts';

/** The harness's Electron has Chromium 83 and Node 12.14; for `node12.14` Oxc leaves private methods in, which that Node cannot read. */
const old = { chrome: 'chrome83', node: 'es2019' };

export const harnessApp = path.join(root, 'dist', 'harness');

/** Vitest's global set-up. */
export default async function setup(): Promise<void> {
  const electron = findElectron();
  if (electron === null) {
    process.stdout.write(
      'No Electron: neither the package’s own binary nor a harness named by ELECTRON_HARNESS. Skipped.\n',
    );
  } else if (electron.compat !== null) await buildForHarness();
}

async function buildForHarness(): Promise<void> {
  const dist = path.join(harnessApp, 'dist');
  const folders = ['electron', 'renderer', 'engine/contract', 'test/electron'];
  const sources = folders.flatMap((folder) => listFiles(path.join(root, folder)));
  const signature = contentSignature(root, [...sources, path.join(root, 'package-lock.json')]);
  const stamp = path.join(harnessApp, 'stamp');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== signature) {
    rmSync(harnessApp, { recursive: true, force: true });
    mkdirSync(dist, { recursive: true });
    const app = { name: 'gradloom', version: '0.0.0', type: 'module', main: 'dist/electron/main.cjs' };
    writeFileSync(path.join(harnessApp, 'package.json'), JSON.stringify(app));
    symlinkSync(path.join(root, 'assets'), path.join(harnessApp, 'assets'), 'dir');
    const electron = path.join(dist, 'electron');
    for (const entry of ['main', 'preload', 'first-start-preload']) {
      const target = entry === 'main' ? old.node : old.chrome;
      await buildWith('electron/vite.config.ts', entry, { build: { target, outDir: electron } });
    }
    await buildWith('renderer/vite.config.ts', 'production', {
      css: { postcss: { plugins: [expandWhere] } },
      build: { target: old.chrome, cssTarget: old.chrome, outDir: path.join(dist, 'renderer') },
    });
    writeFileSync(stamp, signature);
  }
  // The engine runs in today's Node, so it is taken as set-up built it.
  const built = path.join(root, 'dist');
  for (const name of readdirSync(built).filter((name) => /\.js$|^native\.json$|^chunks$/.test(name))) {
    cpSync(path.join(built, name), path.join(dist, name), { recursive: true });
  }
}

async function buildWith(configFile: string, mode: string, overrides: UserConfig): Promise<void> {
  const config = mergeConfig(overrides, { configFile: path.join(root, configFile), mode, logLevel: 'warn' });
  await build(config);
}
