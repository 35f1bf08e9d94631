/** What the app itself remembers between starts: the window's place, the theme (for a first frame in the right colour), recent projects. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { app, type Rectangle } from 'electron';

export type Theme = 'system' | 'light' | 'dark';

export interface AppSettings {
  /** Of the window when it is not maximised; null before the first start. */
  bounds: Rectangle | null;
  maximized: boolean;
  theme: Theme;
  /** Project files, latest first. */
  recent: string[];
}

const recentKept = 10;
const fresh: AppSettings = { bounds: null, maximized: false, theme: 'system', recent: [] };

let current: AppSettings | null = null;

const settingsFile = () => path.join(app.getPath('userData'), 'window.json');

export function settings(): AppSettings {
  current ??= read();
  return current;
}

export function change(part: Partial<AppSettings>): void {
  current = { ...settings(), ...part };
  const file = settingsFile();
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, `${JSON.stringify(current, null, 2)}\n`);
    renameSync(`${file}.new`, file);
  } catch (error) {
    process.stderr.write(`The window's place could not be kept: ${error}\n`);
  }
}

export function addRecent(file: string): void {
  if (settings().recent[0] === file) return;
  app.addRecentDocument(file);
  change({ recent: [file, ...settings().recent.filter((other) => other !== file)].slice(0, recentKept) });
  tellRecent();
}

let tellRecent = () => {};

export function onRecentChange(listener: () => void): void {
  tellRecent = listener;
}

/** What is missing or makes no sense is as on a first start. */
function read(): AppSettings {
  let found: { [key: string]: unknown };
  try {
    found = JSON.parse(readFileSync(settingsFile(), 'utf8')) ?? {};
  } catch {
    return fresh;
  }
  const { bounds, maximized, theme, recent } = found;
  const isPlace = ['x', 'y', 'width', 'height'].every((side) =>
    Number.isInteger((bounds as Record<string, unknown> | null | undefined)?.[side]),
  );
  return {
    bounds: isPlace ? (bounds as Rectangle) : null,
    maximized: maximized === true,
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    recent: Array.isArray(recent) ? recent.filter((file) => typeof file === 'string').slice(0, recentKept) : [],
  };
}
