/** Small pieces of text: figures, code with a button that copies it. */
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

/** `what`: completes "Copy …", where that is not plain from beside what it stands. */
export function CopyText({ text, what }: { text: string; what?: string }) {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <IconButton
          label={copied ? 'Copied' : what === undefined ? 'Copy' : `Copy ${what}`}
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
      {copy && <CopyText text={children} />}
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
        <CopyText text={children} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre className={classes.pre} style={{ maxHeight }} tabIndex={0}>
        <code>{children}</code>
      </pre>
    </figure>
  );
}
