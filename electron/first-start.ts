/** An installed app's first start: libtorch is fetched, in a small window that says how far it is. In a checkout set-up has done that. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { app, BrowserWindow, ipcMain, nativeTheme, utilityProcess } from 'electron';
import type { ProvisionMessage } from '../engine/contract/provision.ts';
import { engineFolder } from './processes.ts';
import { firstStartPage } from './scheme.ts';
import { background } from './window.ts';

const channel = 'gradloom:first-start';

export interface Preparation {
  /** Whether the engine can start; false: the person has closed the window. */
  ready: boolean;
  /** Closes the window of the first start, once there is another: an app without windows ends. */
  close(): void;
}

export async function prepareEngine(): Promise<Preparation> {
  const nothing: Preparation = { ready: true, close() {} };
  if (!app.isPackaged) return nothing;
  const nativeFile = path.join(app.getPath('userData'), 'native.json');
  process.env.GRADLOOM_NATIVE = nativeFile;
  const addon = path.join(process.resourcesPath, 'native', 'gradloom.node');
  if (isPrepared(nativeFile)) return nothing;
  const window = new BrowserWindow({
    width: 560,
    height: 320,
    resizable: false,
    maximizable: false,
    show: false,
    title: 'Gradloom',
    backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
    webPreferences: {
      preload: path.join(__dirname, 'first-start-preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
    },
  });
  window.setMenuBarVisibility(false);
  window.once('ready-to-show', () => window.show());
  const closed = new Promise<false>((resolve) => window.once('closed', () => resolve(false)));
  await window.loadURL(firstStartPage);
  const ready = await Promise.race([closed, provisioned(addon, nativeFile, window)]);
  return {
    ready,
    close() {
      if (!window.isDestroyed()) window.destroy();
    },
  };
}

/** Of this version, with everything still in its place: a cache may be cleared, an update brings another addon. */
function isPrepared(nativeFile: string): boolean {
  try {
    const { addon, libtorch, version } = JSON.parse(readFileSync(nativeFile, 'utf8'));
    return version === app.getVersion() && existsSync(addon) && existsSync(libtorch.path);
  } catch {
    return false;
  }
}

/** Tries until it works; each further try is asked for in the window. */
async function provisioned(addon: string, nativeFile: string, window: BrowserWindow): Promise<true> {
  for (;;) {
    if (await attempt([addon, nativeFile, app.getVersion()], window)) return true;
    await new Promise<void>((resolve) => {
      ipcMain.once(channel, () => resolve());
    });
  }
}

function attempt(words: string[], window: BrowserWindow): Promise<boolean> {
  return new Promise((resolve) => {
    const child = utilityProcess.fork(path.join(engineFolder, 'provision.js'), words, {
      serviceName: 'Gradloom set-up',
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const show = (message: ProvisionMessage) => {
      if (!window.isDestroyed()) window.webContents.send(channel, message);
    };
    const abandon = () => child.kill(); // what has arrived is kept; the next start goes on from there
    window.once('closed', abandon);
    let told = false;
    child.on('message', (message: ProvisionMessage) => {
      show(message);
      if (message.type === 'progress' && !window.isDestroyed()) {
        window.setProgressBar(message.total === null ? 2 : message.done / message.total);
      }
      if (message.type !== 'done' && message.type !== 'failed') return;
      told = true;
      window.removeListener('closed', abandon);
      child.kill();
      resolve(message.type === 'done');
    });
    child.on('exit', (code) => {
      if (told) return;
      show({ type: 'failed', message: `Fetching ended early (exit code ${code}).`, hint: 'What has arrived is kept.' });
      resolve(false);
    });
  });
}
