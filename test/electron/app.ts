/** The app under test: what every file of the suite starts with, and what several of them do. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { harnessApp } from './build.ts';
import { findElectron, type Launched, type LaunchOptions, launch, openScreen, root, type Screen } from './electron.ts';

const electron = findElectron();

/** Skipped where there is no Electron; the global set-up says so. */
export const describeApp = describe.skipIf(electron === null);

/** A screen for the tests of a file, and starts of the app on it that end with their test: a run would slow down the next. */
export function useApp() {
  let screen: Screen;
  let started: Launched[] = [];
  let common: Promise<Launched> | null = null;
  beforeAll(async () => {
    screen = await openScreen();
  });
  afterEach(async () => {
    const ending = started;
    started = [];
    await Promise.all(ending.map((app) => app.close()));
  });
  afterAll(async () => {
    await (await common)?.close();
    screen?.close();
  });
  const open = (options: Partial<LaunchOptions> = {}): Promise<Launched> => {
    if (electron === null) throw new Error('There is no Electron');
    return launch(electron, { screen, appDir: appDir(), ...options });
  };
  return {
    electron: electron as NonNullable<typeof electron>,
    options: (): LaunchOptions => ({ screen, appDir: appDir() }),
    /** For the tests of a file that leave the app as it is. */
    shared(): Promise<Launched> {
      common ??= open();
      return common;
    },
    async start(options: Partial<LaunchOptions> = {}): Promise<Launched> {
      const app = await open(options);
      started.push(app);
      return app;
    },
  };
}

export function appDir(): string {
  return electron?.compat ? harnessApp : root;
}

/** A project of the digits in a file of its own. */
export function writeProject(folder: string, name: string, changes: { epochs: number; batch?: number }): string {
  const project = JSON.parse(readFileSync(path.join(root, 'assets', 'templates', 'digits-mlp.gradloom.json'), 'utf8'));
  project.name = name;
  project.data.source.path = path.join(root, 'assets', 'data', 'digits');
  project.data.loader.batch_size = changes.batch ?? 256;
  project.data.loader.num_workers = 0;
  project.training.epochs = changes.epochs;
  const file = path.join(folder, `${name}.gradloom.json`);
  writeFileSync(file, JSON.stringify(project, null, 2));
  return file;
}

/** Of the run's own worker, as the run says it. */
export function workerPid(home: string, run: string): number {
  return JSON.parse(readFileSync(path.join(home, 'runs', run, 'live.json'), 'utf8')).pid;
}

/** Of the engine service: by Electron's own list, or, under the harness, by the command of main's child. */
export async function servicePid({ app }: Launched): Promise<number> {
  const listed = await app.evaluate(
    ({ app }) => app.getAppMetrics().find((process) => process.name === 'Gradloom engine')?.pid,
  );
  if (listed !== undefined) return listed;
  const main = app.process().pid;
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      if (Number(parent) === main && /dist[\\/]main\.js/.test(command)) return Number(name);
    } catch {
      // it has just ended
    }
  }
  throw new Error('The engine service runs nowhere');
}

export function summaryOf(home: string, run: string): { status: string; epoch: number } {
  return JSON.parse(readFileSync(path.join(home, 'runs', run, 'summary.json'), 'utf8'));
}

/** Answers the next native question by the button of that label. */
export async function answerQuestion({ app }: Launched, label: string): Promise<void> {
  await app.evaluate(({ dialog }, label) => {
    const asked: string[] = [];
    Object.assign(globalThis, { askedOfPerson: asked });
    dialog.showMessageBox = (async (...args: unknown[]) => {
      const options = args.at(-1) as { message: string; buttons: string[] };
      asked.push(options.message);
      return { response: options.buttons.indexOf(label), checkboxChecked: false };
    }) as typeof dialog.showMessageBox;
  }, label);
}

export function questions({ app }: Launched): Promise<string[]> {
  return app.evaluate(() => (globalThis as { askedOfPerson?: string[] }).askedOfPerson ?? []);
}
