/** What a window may not do: leave its own page, open others, ask for permissions, reach the network; and whom main listens to. */
import { app, type IpcMainEvent, type IpcMainInvokeEvent, ipcMain, session } from 'electron';
import { origin, scheme } from './scheme.ts';

/** Addresses that a page may load from: its own, and what it made itself. The developer tools bring their own pages. */
const loadable = new Set([`${scheme}:`, 'blob:', 'data:', 'devtools:', 'chrome-extension:']);

/** The only thing beyond its own page that a window needs: copying a path. */
const granted = 'clipboard-sanitized-write';

/** Holds for every window that is ever made; before the first one. */
export function guardContents(): void {
  app.on('web-contents-created', (_, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => event.preventDefault());
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}

/** Once the app is ready. */
export function guardSession(): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((contents, permission, decide) =>
    decide(permission === granted && isOurs(contents.getURL())),
  );
  defaultSession.setPermissionCheckHandler((_, permission, from) => permission === granted && isOurs(from));
  defaultSession.webRequest.onBeforeRequest(({ url }, decide) =>
    decide({ cancel: !loadable.has(new URL(url).protocol) }),
  );
}

function isOurs(url: string): boolean {
  return url === origin || url.startsWith(`${origin}/`);
}

type Caller = Pick<IpcMainEvent | IpcMainInvokeEvent, 'senderFrame' | 'sender'>;

/** Only our own page, and only as a window's main frame. */
function isTrusted({ senderFrame, sender }: Caller): boolean {
  if (!senderFrame || !isOurs(senderFrame.url)) return false;
  return sender.mainFrame === undefined || senderFrame === sender.mainFrame;
}

/** A call of the preload's that has an answer. */
export function onCall<Args extends unknown[]>(
  channel: string,
  answer: (event: IpcMainInvokeEvent, ...args: Args) => unknown,
): void {
  ipcMain.handle(channel, (event, ...args) => {
    if (!isTrusted(event)) throw new Error(`${channel} is for Gradloom's own page`);
    return answer(event, ...(args as Args));
  });
}

/** A word of the preload's that has none. */
export function onWord<Args extends unknown[]>(
  channel: string,
  take: (event: IpcMainEvent, ...args: Args) => void,
): void {
  ipcMain.on(channel, (event, ...args) => {
    if (isTrusted(event)) take(event, ...(args as Args));
  });
}
