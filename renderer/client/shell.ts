/** What Electron's preload gives the window. In a browser there is none of it. */

export type MenuCommand =
  | 'new'
  | 'open'
  | 'save-copy'
  | 'undo'
  | 'redo'
  | 'search'
  | 'train'
  | 'settings'
  | 'home'
  | 'runs'
  | 'devices'
  | 'shortcuts';

export interface FileFilter {
  name: string;
  /** Without the dot. */
  extensions: string[];
}

export interface Shell {
  /** `process.platform`. */
  platform: string;
  /**
   * Asks for a new port to the engine service. It arrives as a `message` event of the window whose data is `portMessage` and whose first
   * port it is (a port cannot cross the context bridge).
   */
  connect(): void;
  /** Starts the service again after it has died; resolves once it runs. */
  restartService(): Promise<void>;
  /** null: the person chose nothing. */
  pickFile(options: { title: string; filters: FileFilter[] }): Promise<string | null>;
  pickFolder(options: { title: string }): Promise<string | null>;
  pickTarget(options: { title: string; name: string; filters: FileFilter[] }): Promise<string | null>;
  /** Where a file lies that was dropped on the window; empty where it has no place on disk. */
  pathOf(file: File): string;
  showInFolder(path: string): Promise<void>;
  /** The window's listeners; each answers a function that ends the listening. */
  onServiceExit(listener: (info: { reason: string; code: number }) => void): () => void;
  /** A project that the system asks to open: open-with, recent files, a second start. */
  onOpenFile(listener: (file: string) => void): () => void;
  onMenu(listener: (command: MenuCommand) => void): () => void;
  setTheme(theme: 'system' | 'light' | 'dark'): void;
}

export const portMessage = 'gradloom:port';

declare global {
  interface Window {
    gradloomShell?: Shell;
  }
}

export function shell(): Shell | null {
  return window.gradloomShell ?? null;
}
