/** The windows: made in the right place and colour, shown when there is something to see. */
import path from 'node:path';
import { app, BrowserWindow, nativeTheme, type Rectangle, screen } from 'electron';
import { startPage } from './scheme.ts';
import { addRecent, change, settings } from './settings.ts';

/** As `--bg-app` of the window's own style. */
export const background = { light: '#f7f7f9', dark: '#0e0e11' };
const smallest = { width: 900, height: 600 };
const firstSize = { width: 1440, height: 900 };
/** A page that never paints must not hide its window for ever. */
const showAnywayMs = 5_000;
/** A page that dies again so soon would die again. */
const reloadAgainMs = 10_000;

/** Opens a window, with a project in it where one is named. */
export function openWindow(file?: string): BrowserWindow {
  const { bounds, maximized } = settings();
  const others = BrowserWindow.getAllWindows().length;
  const place = bounds && isOnScreen(bounds) ? bounds : null;
  const window = new BrowserWindow({
    ...firstSize,
    ...(place && (others === 0 ? place : { width: place.width, height: place.height })),
    minWidth: smallest.width,
    minHeight: smallest.height,
    show: false,
    title: 'Gradloom',
    backgroundColor: backgroundNow(),
    icon: iconFile('icon.png'),
    webPreferences: {
      preload: path.join(__dirname, 'preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  if (maximized && others === 0) window.maximize();

  let shown = false;
  const show = () => {
    if (!shown && !window.isDestroyed()) window.show();
    shown = true;
  };
  window.once('ready-to-show', show);
  const showAnyway = setTimeout(show, showAnywayMs);
  window.once('closed', () => clearTimeout(showAnyway));

  const keepPlace = () => {
    if (!window.isDestroyed()) change({ bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  };
  window.on('close', keepPlace);

  window.webContents.on('did-navigate-in-page', (_, url) => {
    const project = new URLSearchParams(new URL(url).hash.split('?')[1] ?? '').get('project');
    if (project !== null) addRecent(project);
  });
  let reloaded = 0;
  window.webContents.on('render-process-gone', (_, { reason }) => {
    if (reason === 'clean-exit' || Date.now() - reloaded < reloadAgainMs) return;
    reloaded = Date.now();
    window.webContents.reload(); // runs go on meanwhile; the page finds everything again
  });
  void window.loadURL(file === undefined ? startPage : `${startPage}#/build?project=${encodeURIComponent(file)}`);
  return window;
}

/** Brings a window to the front, also out of the tray. */
export function reveal(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

export function iconFile(name: string): string {
  return path.join(app.getAppPath(), 'assets', 'icons', name);
}

function backgroundNow(): string {
  return nativeTheme.shouldUseDarkColors ? background.dark : background.light;
}

/** Resizing shows the background for a moment: it follows the theme. */
export function followTheme(): void {
  nativeTheme.on('updated', () => {
    for (const window of BrowserWindow.getAllWindows()) window.setBackgroundColor(backgroundNow());
  });
}

/** Screens come and go between two starts: enough of the title bar must be within reach. */
function isOnScreen({ x, y, width }: Rectangle): boolean {
  return screen.getAllDisplays().some(({ workArea }) => {
    const overlap = Math.min(x + width, workArea.x + workArea.width) - Math.max(x, workArea.x);
    return overlap >= 100 && y >= workArea.y && y < workArea.y + workArea.height - 40;
  });
}
