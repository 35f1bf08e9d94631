/** Electron's main process: one instance, the engine service, the windows. It computes nothing itself. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { app, BrowserWindow, dialog, nativeTheme } from 'electron';
import { answerCalls } from './calls.ts';
import { prepareEngine } from './first-start.ts';
import { Leaving } from './leaving.ts';
import { setMenu } from './menu.ts';
import { EngineService } from './processes.ts';
import { registerScheme, serveScheme } from './scheme.ts';
import { guardContents, guardSession } from './security.ts';
import { onRecentChange, settings } from './settings.ts';
import { followTheme, openWindow, reveal } from './window.ts';

/** null until an installed app's first start has fetched what it needs. */
let service: EngineService | null = null;

function startService(): EngineService {
  service = new EngineService((exit) => {
    for (const window of BrowserWindow.getAllWindows()) window.webContents.send('gradloom:service-exit', exit);
  });
  return service;
}

async function restartService(): Promise<void> {
  const running = service?.alive ? service : startService();
  await running.ready();
  if (!running.alive) throw new Error('The engine ended again right after its start');
}

/** The project that a command line names, as open-with does. */
function fileIn(words: string[], folder: string): string | undefined {
  return words
    .filter((word) => /\.json$/i.test(word) && !word.startsWith('-'))
    .map((word) => path.resolve(folder, word))
    .find((file) => existsSync(file));
}

/** In the window in front, or in a new one where there is none. */
function openProject(file: string): void {
  const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
  if (window === undefined) newWindow(file);
  else {
    window.webContents.send('gradloom:open-file', file);
    reveal(window);
  }
}

const leaving = new Leaving(() => service);

function newWindow(file?: string): void {
  leaving.watch(openWindow(file));
}

function refreshMenu(): void {
  setMenu({ newWindow, openFile: openProject, quit: () => void leaving.leave() });
}

function start(): void {
  let firstFile = fileIn(process.argv.slice(1), process.cwd());
  registerScheme();
  guardContents();
  app.on('open-file', (event, file) => {
    event.preventDefault();
    if (service === null) firstFile = file;
    else openProject(file);
  });
  app.on('second-instance', (_, words, folder) => {
    leaving.show();
    const window = BrowserWindow.getAllWindows()[0];
    if (window !== undefined) reveal(window);
    const file = fileIn(words.slice(1), folder);
    if (service === null) firstFile = file ?? firstFile;
    else if (file !== undefined) openProject(file);
    else if (window === undefined) newWindow();
  });
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length > 0) leaving.show();
    else if (service !== null) newWindow();
  });
  app.on('window-all-closed', () => {
    if (service === null) app.exit(0);
    else if (process.platform !== 'darwin') void leaving.leave();
  });
  const open = async () => {
    // Whoever ends the app by a signal is not asked; runs are saved all the same. Not before: Electron sets its own handlers until then.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leaving.end());
    nativeTheme.themeSource = settings().theme;
    guardSession();
    serveScheme();
    const preparation = await prepareEngine();
    if (!preparation.ready) return app.exit(0);
    startService();
    answerCalls({ connect: (contents) => void service?.connect(contents), restart: restartService });
    app.setAboutPanelOptions({ applicationName: 'Gradloom', applicationVersion: app.getVersion() });
    onRecentChange(refreshMenu);
    refreshMenu();
    followTheme();
    newWindow(firstFile);
    preparation.close();
  };
  // An app that could not start would stay without a window, and hold the lock against the next start.
  void app
    .whenReady()
    .then(open)
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      process.stderr.write(`Gradloom could not start: ${why}\n`);
      dialog.showErrorBox('Gradloom could not start', why);
      app.exit(1);
    });
}

if (app.requestSingleInstanceLock()) start();
else app.exit(0);
