/** Closing the last window or the app while a run of ours is live: the person says what becomes of it. */
import path from 'node:path';
import { app, BrowserWindow, dialog, Menu, Notification, nativeImage, Tray } from 'electron';
import { iconFile, reveal } from './window.ts';

export interface Runs {
  /** Folders of the live runs, once the question is answered. */
  ask(question: 'runs' | 'park' | 'stop'): Promise<string[]>;
  /** Saves what lives and ends every process of the engine. */
  close(): Promise<void>;
}

/** How often the tray looks whether its runs have ended. */
const lookMs = 5_000;

/** A page that hangs is not waited for any longer. */
const closeMs = 2_000;

function closed(window: BrowserWindow): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => window.destroy(), closeMs);
    window.once('closed', () => {
      clearTimeout(impatient);
      resolve();
    });
    window.close();
  });
}

const choices = ['Keep training in the background', 'Park', 'Stop', 'Cancel'] as const;

export class Leaving {
  readonly #runs: () => Runs | null;
  /** `asking`: a dialog is open. `yes`: nothing more is asked. */
  #state: 'no' | 'asking' | 'yes' = 'no';
  #tray: Tray | null = null;

  /** `runs`: of the engine as it is now; null while there is none. */
  constructor(runs: () => Runs | null) {
    this.#runs = runs;
    app.on('before-quit', (event) => {
      if (this.#state === 'yes') return;
      event.preventDefault();
      void this.leave();
    });
  }

  /** A window that is not the last closes without a question. */
  watch(window: BrowserWindow): void {
    window.on('close', (event) => {
      const others = BrowserWindow.getAllWindows().some((other) => other !== window && other.isVisible());
      if (this.#state === 'yes' || others || process.platform === 'darwin') return;
      event.preventDefault();
      void this.leave(window);
    });
  }

  /** Ends the app unless the person decides otherwise. */
  async leave(window: BrowserWindow | undefined = BrowserWindow.getAllWindows()[0]): Promise<void> {
    if (this.#state !== 'no') return;
    this.#state = 'asking';
    let live: string[];
    let choice: (typeof choices)[number] | 'none';
    try {
      live = await this.#live();
      choice = live.length === 0 ? 'none' : await this.#question(live, window);
    } catch (thrown) {
      this.#state = 'no'; // it can be asked again
      throw thrown;
    }
    if (choice === 'Cancel' || choice === 'Keep training in the background') {
      this.#state = 'no';
      if (choice !== 'Cancel') this.#hide(live);
      return;
    }
    if (choice !== 'none') await this.#runs()?.ask(choice === 'Park' ? 'park' : 'stop');
    await this.end();
  }

  /** Without a question: runs are saved as interrupted. */
  async end(): Promise<void> {
    this.#state = 'yes';
    // A page that is closed saves what was edited a moment ago: as long as there is an engine that does it.
    await Promise.all(BrowserWindow.getAllWindows().map(closed));
    await this.#runs()?.close();
    // Not from within what Electron told last: what it tears down just then would be torn down twice.
    setImmediate(() => app.quit());
  }

  /** Back from the tray. */
  show(): void {
    this.#tray?.destroy();
    this.#tray = null;
    for (const window of BrowserWindow.getAllWindows()) if (!window.isVisible()) reveal(window);
  }

  async #live(): Promise<string[]> {
    return (await this.#runs()?.ask('runs')) ?? [];
  }

  async #question(live: string[], window: BrowserWindow | undefined): Promise<(typeof choices)[number]> {
    const names = live.map((run) => path.basename(run)).join(', ');
    const options = {
      type: 'question' as const,
      title: 'Gradloom',
      message: live.length === 1 ? `${names} is still training` : `${live.length} runs are still training: ${names}`,
      detail:
        'In the background, training goes on and Gradloom stays in the tray. Park saves and frees the memory; a parked run can be ' +
        'continued. Stop ends it and keeps the result.',
      buttons: [...choices],
      defaultId: 0,
      cancelId: choices.length - 1,
      noLink: true,
    };
    const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options));
    return choices[response] ?? 'Cancel';
  }

  #hide(live: string[]): void {
    for (const window of BrowserWindow.getAllWindows()) window.hide();
    if (this.#tray !== null) return;
    const tray = new Tray(nativeImage.createFromPath(iconFile('tray.png')));
    this.#tray = tray;
    tray.setToolTip(`Gradloom: training ${live.map((run) => path.basename(run)).join(', ')}`);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: 'Show Gradloom', click: () => this.show() },
        { label: 'Quit', click: () => void this.leave() },
      ]),
    );
    tray.on('click', () => this.show());
    const timer = setInterval(async () => {
      if (this.#tray !== tray) return clearInterval(timer);
      if ((await this.#live()).length > 0 || this.#tray !== tray) return;
      clearInterval(timer);
      tray.setToolTip('Gradloom: training has ended');
      const note = new Notification({
        title: 'Training has ended',
        body: live.map((run) => path.basename(run)).join(', '),
      });
      note.on('click', () => this.show());
      note.show();
    }, lookMs);
  }
}
