/** The native menu. Its commands go to the window, which knows what they mean where it stands. */
import path from 'node:path';
import { app, BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron';
import type { MenuCommand } from '../renderer/client/shell.ts';
import { settings } from './settings.ts';

export function setMenu(actions: { newWindow(): void; openFile(file: string): void; quit(): void }): void {
  const mac = process.platform === 'darwin';
  const command = (label: string, name: MenuCommand, accelerator?: string): MenuItemConstructorOptions => ({
    id: name,
    label,
    ...(accelerator === undefined ? {} : { accelerator }),
    click: () => {
      const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
      window?.webContents.send('gradloom:menu', name);
    },
  });
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const recent = settings().recent.map((file) => ({
    label: `${path.basename(file).replace(/\.gradloom\.json$/, '')} — ${path.dirname(file)}`,
    click: () => actions.openFile(file),
  }));
  const quit: MenuItemConstructorOptions = {
    id: 'quit',
    label: mac ? 'Quit Gradloom' : 'Quit',
    accelerator: 'CmdOrCtrl+Q',
    click: actions.quit,
  };
  const appMenu: MenuItemConstructorOptions = {
    label: app.name,
    submenu: [
      { role: 'about' },
      separator,
      command('Settings…', 'settings', 'Cmd+,'),
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      quit,
    ],
  };
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [appMenu] : []),
    {
      label: '&File',
      submenu: [
        command('New project', 'new', 'CmdOrCtrl+N'),
        command('Open…', 'open', 'CmdOrCtrl+O'),
        {
          id: 'recent',
          label: 'Open recent',
          enabled: recent.length > 0,
          submenu: recent,
        },
        command('Save a copy…', 'save-copy', 'CmdOrCtrl+Shift+S'),
        separator,
        { label: 'New window', accelerator: 'CmdOrCtrl+Shift+N', click: actions.newWindow },
        { role: 'close', label: 'Close window' },
        ...(mac ? [] : [separator, command('Settings', 'settings', 'Ctrl+,'), separator, quit]),
      ],
    },
    {
      label: '&Edit',
      submenu: [
        command('Undo', 'undo', 'CmdOrCtrl+Z'),
        command('Redo', 'redo', mac ? 'Cmd+Shift+Z' : 'Ctrl+Y'),
        separator,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
      ],
    },
    {
      label: '&Go',
      submenu: [
        command('Search…', 'search', 'CmdOrCtrl+K'),
        separator,
        command('Home', 'home'),
        command('Runs', 'runs'),
        command('Devices', 'devices'),
        separator,
        command('Train', 'train', 'CmdOrCtrl+Enter'),
      ],
    },
    {
      label: '&View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
        { role: 'reload' },
        { role: 'toggleDevTools' },
      ],
    },
    ...(mac ? [{ role: 'windowMenu' } satisfies MenuItemConstructorOptions] : []),
    {
      role: 'help',
      submenu: [command('Keyboard shortcuts', 'shortcuts'), ...(mac ? [] : [{ role: 'about' as const }])],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
