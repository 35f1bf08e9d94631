/** Finds an Electron to launch, gives it a screen and a profile of its own, and drives it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Electron {
  executable: string;
  /** Loaded before the app where the Electron is older than the app expects. */
  compat: string | null;
}

/** Two busy cores may need this long for what takes a second on a free machine. */
export const patienceMs = 60_000;

let found: Electron | null | undefined;

/** The package's own binary, else the harness's; null where there is neither. */
export function findElectron(): Electron | null {
  if (found === undefined) found = own() ?? harness();
  return found;
}

function own(): Electron | null {
  const folder = path.join(root, 'node_modules', 'electron');
  const named = path.join(folder, 'path.txt');
  if (!existsSync(named)) return null;
  const executable = path.join(folder, 'dist', readFileSync(named, 'utf8'));
  return existsSync(executable) ? { executable, compat: null } : null;
}

function harness(): Electron | null {
  if (!process.env.ELECTRON_HARNESS) return null;
  const folder = path.resolve(process.env.ELECTRON_HARNESS);
  const executable = execFileSync('bash', [path.join(folder, 'get-electron.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  return { executable: executable.split('\n').at(-1) ?? '', compat: path.join(folder, 'compat.cjs') };
}

export interface Screen {
  display: string;
  close(): void;
}

/** A virtual screen; the one that is there where it cannot be had. */
export async function openScreen(): Promise<Screen> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise<string | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('exit', () => resolve(null));
    child.stdio[3]?.on('data', (text) => resolve(String(text).trim()));
  });
  if (number === null) return { display: process.env.DISPLAY ?? '', close() {} };
  return { display: `:${number}`, close: () => void child.kill() };
}

export interface Launched {
  app: ElectronApplication;
  page: Page;
  profile: string;
  /** The workspace. */
  home: string;
  /** What the processes said on standard error. */
  complaints(): string;
  /** Ends the app, by force if it does not end by itself, and removes its folders. */
  close(): Promise<void>;
}

export interface LaunchOptions {
  screen: Screen;
  /** The app's folder; null: the executable is a packed app. */
  appDir: string | null;
  executable?: string;
  /** Words after the app's folder. */
  words?: string[];
  profile?: string;
  home?: string;
  env?: Record<string, string>;
}

/** Launch arguments, for starts that are not driven as well. */
export function launchWords(electron: Electron, { appDir, words = [] }: LaunchOptions, profile: string): string[] {
  const old = electron.compat === null || appDir === null ? [] : ['-r', electron.compat];
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const place = appDir === null ? [] : [appDir];
  return [...asRoot, ...old, ...place, `--user-data-dir=${profile}`, ...words];
}

export function launchEnvironment({ screen, env = {} }: LaunchOptions, home: string): Record<string, string> {
  const own = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return { ...own, DISPLAY: screen.display, GRADLOOM_HOME: home, ...env };
}

export async function launch(electron: Electron, options: LaunchOptions): Promise<Launched> {
  const folder = (name: string) => mkdtempSync(path.join(os.tmpdir(), `gradloom-${name}-`));
  const profile = options.profile ?? folder('profile');
  const home = options.home ?? folder('home');
  const app = await _electron.launch({
    executablePath: options.executable ?? electron.executable,
    args: launchWords(electron, options, profile),
    env: launchEnvironment(options, home),
    timeout: patienceMs,
  });
  let said = '';
  const child = app.process();
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text));
  const page = await app.firstWindow();
  page.setDefaultTimeout(patienceMs);
  await page.waitForLoadState('domcontentloaded');
  return {
    app,
    page,
    profile,
    home,
    complaints: () => said,
    async close() {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      child.kill('SIGTERM'); // asks nothing; runs are saved
      const impatient = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(impatient);
      for (const place of [options.profile ? null : profile, options.home ? null : home]) {
        if (place !== null) rmSync(place, { recursive: true, force: true });
      }
    },
  };
}
