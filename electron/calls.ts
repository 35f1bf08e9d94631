/** What a window may ask of main: its port, native dialogs, the theme. Every argument is checked: the page may be wrong. */
import { statSync } from 'node:fs';
import path from 'node:path';
import {
  BrowserWindow,
  dialog,
  type FileFilter,
  nativeTheme,
  type OpenDialogOptions,
  shell,
  type WebContents,
} from 'electron';
import { onCall, onWord } from './security.ts';
import { change } from './settings.ts';

export function answerCalls(engine: { connect(contents: WebContents): void; restart(): Promise<void> }): void {
  onWord('gradloom:connect', ({ sender }) => engine.connect(sender));
  onCall('gradloom:restart-service', () => engine.restart());

  onCall<[unknown, unknown]>('gradloom:pick-file', ({ sender }, title, filters) =>
    pick(sender, { title: text(title), filters: fileFilters(filters), properties: ['openFile'] }),
  );
  onCall<[unknown]>('gradloom:pick-folder', ({ sender }, title) =>
    pick(sender, { title: text(title), properties: ['openDirectory', 'createDirectory'] }),
  );
  onCall<[unknown, unknown, unknown]>('gradloom:pick-target', async ({ sender }, title, name, filters) => {
    const options = { title: text(title), defaultPath: text(name), filters: fileFilters(filters) };
    const { canceled, filePath } = await dialog.showSaveDialog(windowOf(sender), options);
    return canceled || !filePath ? null : filePath;
  });
  onCall<[unknown]>('gradloom:show-in-folder', (_, place) => {
    const file = text(place);
    if (!path.isAbsolute(file)) throw new Error(`Not an absolute path: ${file}`);
    statSync(file);
    shell.showItemInFolder(file);
  });
  onWord<[unknown]>('gradloom:set-theme', (_, theme) => {
    if (theme !== 'system' && theme !== 'light' && theme !== 'dark') return;
    nativeTheme.themeSource = theme;
    change({ theme });
  });
}

async function pick(sender: WebContents, options: OpenDialogOptions): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(windowOf(sender), options);
  return canceled ? null : (filePaths[0] ?? null);
}

function windowOf(contents: WebContents): BrowserWindow {
  const window = BrowserWindow.fromWebContents(contents);
  if (window === null) throw new Error('No window asks');
  return window;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('A text is expected');
  return value;
}

function fileFilters(value: unknown): FileFilter[] {
  if (!Array.isArray(value)) throw new TypeError('File filters are expected');
  return value.map(({ name, extensions }) => {
    if (!Array.isArray(extensions)) throw new TypeError('Extensions are expected');
    return { name: text(name), extensions: extensions.map(text) };
  });
}
