/** Runs before the page, in a sandbox: gives the window what `Shell` names, and nothing of Electron itself. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { MenuCommand, Shell } from '../renderer/client/shell.ts';

/** The same word to the page as from main. */
const portMessage = 'gradloom:port';

/** Passes main's words on, and ends that on request. Words that came before the first listener wait for it. */
function listenable<T>(channel: string): (listener: (value: T) => void) => () => void {
  const listeners = new Set<(value: T) => void>();
  let early: T[] = [];
  ipcRenderer.on(channel, (_, value: T) => {
    if (listeners.size === 0) early.push(value);
    for (const listener of listeners) listener(value);
  });
  return (listener) => {
    listeners.add(listener);
    for (const value of early) listener(value);
    early = [];
    return () => void listeners.delete(listener);
  };
}

const onServiceExit = listenable<{ reason: string; code: number }>('gradloom:service-exit');
const onOpenFile = listenable<string>('gradloom:open-file');
const onCommand = listenable<MenuCommand>('gradloom:menu');

/** What is undone while a person types is the typing. */
function onMenu(listener: (command: MenuCommand) => void): () => void {
  return onCommand((command) => {
    const field = document.activeElement;
    const typing = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    if (typing && (command === 'undo' || command === 'redo')) document.execCommand(command);
    else listener(command);
  });
}

ipcRenderer.on(portMessage, (event) => {
  window.postMessage(portMessage, window.location.origin, event.ports);
});

const shell: Shell = {
  platform: process.platform,
  connect: () => ipcRenderer.send('gradloom:connect'),
  restartService: () => ipcRenderer.invoke('gradloom:restart-service'),
  pickFile: ({ title, filters }) => ipcRenderer.invoke('gradloom:pick-file', title, filters),
  pickFolder: ({ title }) => ipcRenderer.invoke('gradloom:pick-folder', title),
  pickTarget: ({ title, name, filters }) => ipcRenderer.invoke('gradloom:pick-target', title, name, filters),
  pathOf: (file) => webUtils.getPathForFile(file),
  showInFolder: (place) => ipcRenderer.invoke('gradloom:show-in-folder', place),
  onServiceExit,
  onOpenFile,
  onMenu,
  setTheme: (theme) => ipcRenderer.send('gradloom:set-theme', theme),
};

contextBridge.exposeInMainWorld('gradloomShell', shell);
