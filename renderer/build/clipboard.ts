/** Layers by the system's clipboard: by its keys, whose events need no permission, and by menus. */
import { useEffect } from 'react';
import { tell, tellError } from '../state/session.ts';
import type { Gap } from '../state/stack-paths.ts';
import { removeSelected } from '../state/stack-store.ts';
import { copySelected, pasteText } from '../state/stack-structure.ts';

/** The keys belong to the stack while the focus is in it, or nowhere; text that is selected on the page is copied as ever. */
export function useClipboard(isHere: () => boolean): void {
  useEffect(() => {
    const take = (event: ClipboardEvent): boolean => {
      if (!isHere() || document.getSelection()?.isCollapsed === false) return false;
      const text = copySelected();
      if (text === null || !event.clipboardData) return false;
      event.clipboardData.setData('text/plain', text);
      event.preventDefault();
      return true;
    };
    const copy = (event: ClipboardEvent) => void take(event);
    const cut = (event: ClipboardEvent) => {
      if (take(event)) removeSelected(undefined, 'cut');
    };
    const paste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (!isHere() || text.trim() === '') return;
      event.preventDefault();
      pasteText(text);
    };
    document.addEventListener('copy', copy);
    document.addEventListener('cut', cut);
    document.addEventListener('paste', paste);
    return () => {
      document.removeEventListener('copy', copy);
      document.removeEventListener('cut', cut);
      document.removeEventListener('paste', paste);
    };
  }, [isHere]);
}

export async function copyByButton(): Promise<boolean> {
  const text = copySelected();
  if (text === null) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}

export async function cutByButton(): Promise<void> {
  if (await copyByButton()) removeSelected(undefined, 'cut');
}

export async function pasteByButton(gap?: Gap): Promise<void> {
  let text: string;
  try {
    text = await navigator.clipboard.readText();
  } catch {
    tell({ tone: 'info', message: 'The clipboard may not be read from a menu here', hint: 'Press Ctrl+V instead.' });
    return;
  }
  pasteText(text, gap);
}
