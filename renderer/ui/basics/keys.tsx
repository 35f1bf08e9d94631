/** Keys and their combinations, as this desktop writes them. */
import type { ReactNode } from 'react';
import classes from './text.module.css';

/** One key, or a combination by its keys. */
export function Kbd({ children, keys }: { children?: ReactNode; keys?: string }) {
  if (keys !== undefined) return <KeyHint keys={keys} />;
  return <kbd className={classes.kbd}>{children}</kbd>;
}

const mac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);
const macNames: Record<string, string> = { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↵', backspace: '⌫' };
const names: Record<string, string> = {
  mod: 'Ctrl',
  shift: 'Shift',
  alt: 'Alt',
  enter: 'Enter',
  backspace: 'Backspace',
};
const arrows: Record<string, string> = { up: '↑', down: '↓', left: '←', right: '→', escape: 'Esc', delete: 'Del' };

/** A key by its name as this desktop calls it; `mod` is the command key. */
function keyName(key: string): string {
  const low = key.toLowerCase();
  return (mac ? macNames[low] : names[low]) ?? arrows[low] ?? (key.length === 1 ? key.toUpperCase() : key);
}

/** A key combination such as `mod+shift+P`, as this desktop writes it. No part of the name of what it stands on. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <span className={classes.keys} aria-hidden>
      {keys.split('+').map((key) => (
        <Kbd key={key}>{keyName(key)}</Kbd>
      ))}
    </span>
  );
}
