/** Small pieces of text: figures, keys, code with a button that copies it. */
import { CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { IconButton } from './buttons.tsx';
import classes from './text.module.css';

/** A figure: tabular, with its unit set quieter. */
export function Num({
  children,
  unit,
  mono = false,
  title,
}: {
  children: ReactNode;
  unit?: string | undefined;
  mono?: boolean;
  title?: string | undefined;
}) {
  return (
    <span className={classes.num} data-mono={mono || undefined} title={title}>
      {children}
      {unit !== undefined && <span className={classes.unit}>&nbsp;{unit}</span>}
    </span>
  );
}

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
export function keyName(key: string): string {
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

function Copy({ text }: { text: string }) {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <IconButton
          label={copied ? 'Copied' : 'Copy'}
          icon={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          size={24}
          onClick={copy}
        />
      )}
    </CopyButton>
  );
}

/** One line of code. */
export function CodeLine({ children, copy = true }: { children: string; copy?: boolean }) {
  return (
    <div className={classes.codeLine}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <code className={classes.lineText} tabIndex={0}>
        {children}
      </code>
      {copy && <Copy text={children} />}
    </div>
  );
}

/** Several lines of code. */
export function CodeBlock({
  children,
  title,
  maxHeight = 320,
}: {
  children: string;
  title?: string | undefined;
  maxHeight?: number;
}) {
  return (
    <figure className={classes.codeBlock}>
      <div className={classes.codeHead}>
        <figcaption>{title}</figcaption>
        <Copy text={children} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre className={classes.pre} style={{ maxHeight }} tabIndex={0}>
        <code>{children}</code>
      </pre>
    </figure>
  );
}
