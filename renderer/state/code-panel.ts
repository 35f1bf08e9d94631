/** Whether Build shows the network as code; kept from one visit to the next. */
import { create } from 'zustand';

const key = 'gradloom.build.code-open';

function kept(): boolean {
  try {
    return localStorage.getItem(key) === 'true';
  } catch {
    return false;
  }
}

export const useCodePanel = create(() => ({ open: kept() }));

export function showCode(open: boolean): void {
  useCodePanel.setState({ open });
  try {
    localStorage.setItem(key, String(open));
  } catch {
    // A browser that keeps nothing: it lasts until the page is left.
  }
}

export const toggleCode = (): void => showCode(!useCodePanel.getState().open);
