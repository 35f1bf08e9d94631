/** What the whole window shares: the connection's state, what the engine says of itself, the settings, and what to tell the person. */
import { create } from 'zustand';
import type { Settings } from '../../engine/contract/api.ts';
import { type ErrorInfo, GradloomError } from '../../engine/contract/errors.ts';
import { type ConnectionStatus, connection, engine } from '../client/client.ts';
import { shell } from '../client/shell.ts';

export type About = Awaited<ReturnType<typeof engine.about>>;

export interface Toast {
  id: number;
  tone: 'info' | 'error';
  message: string;
  hint?: string;
  action?: { label: string; run(): void };
}

interface Session {
  status: ConnectionStatus;
  about: About | null;
  settings: Settings | null;
  /** The theme of the last session, until the engine has told the settings. */
  theme: Settings['theme'];
  toasts: Toast[];
}

const themeKey = 'gradloom-theme';
let lastToast = 0;

function rememberedTheme(): Settings['theme'] {
  const theme = localStorage.getItem(themeKey);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export const useSession = create<Session>(() => ({
  status: connection.status,
  about: null,
  settings: null,
  theme: rememberedTheme(),
  toasts: [],
}));

export function startSession(): void {
  const refresh = async () => {
    const [about, settings] = await Promise.all([engine.about(), engine.settings.get()]);
    applySettings(settings);
    useSession.setState({ about });
  };
  const onStatus = (status: ConnectionStatus) => {
    useSession.setState({ status });
    if (status === 'ready') void refresh().catch(tellError);
  };
  connection.onStatus(onStatus);
  onStatus(connection.status);
}

export async function changeSettings(patch: Partial<Settings>): Promise<void> {
  const before = useSession.getState().settings;
  if (before) applySettings({ ...before, ...patch });
  try {
    applySettings(await engine.settings.set(patch));
  } catch (thrown) {
    if (before) applySettings(before);
    tellError(thrown);
  }
}

function applySettings(settings: Settings): void {
  localStorage.setItem(themeKey, settings.theme);
  shell()?.setTheme(settings.theme);
  useSession.setState({ settings, theme: settings.theme });
}

/** One that says the same as another takes its place, and stays as long as a new one. */
export function tell(toast: Omit<Toast, 'id'>): void {
  lastToast += 1;
  const id = lastToast;
  const same = (other: Toast) =>
    other.tone === toast.tone && other.message === toast.message && other.hint === toast.hint;
  useSession.setState(({ toasts }) => ({
    toasts: [...toasts.filter((other) => !same(other)).slice(-3), { ...toast, id }],
  }));
}

export function dismissToast(id: number): void {
  useSession.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/** An error of something that a person did, when there is no better place for it. */
export function tellError(thrown: unknown): void {
  const { message, hint } = GradloomError.from(thrown);
  tell({ tone: 'error', message, ...(hint === undefined ? {} : { hint }) });
}

export function infoOf(thrown: unknown): ErrorInfo {
  return GradloomError.from(thrown).toInfo();
}
