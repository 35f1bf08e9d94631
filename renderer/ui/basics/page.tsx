/** The parts of a page: its head, its panels, its sections, and a side whose width is kept. */
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import classes from './page.module.css';
import { Splitter } from './splitter.tsx';

export interface PageProps {
  title: ReactNode;
  /** Beside the title, quieter. */
  subtitle?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** The inspector at the right. */
  aside?: ReactNode;
  /** Names the aside for assistive technology, and its kept width. */
  asideLabel?: string;
  asideWidth?: number;
  /** In little room the aside lies over the page, and only while it is open. */
  asideDrawer?: { open: boolean; onClose: () => void } | undefined;
  /** Without padding and scrolling of its own: the page fills the space itself. */
  flush?: boolean;
}

export function Page({
  title,
  subtitle,
  actions,
  children,
  aside,
  asideLabel = 'Inspector',
  asideWidth = 340,
  asideDrawer,
  flush = false,
}: PageProps) {
  const main = (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.title}>{title}</h1>
        {subtitle !== undefined && <div className={classes.subtitle}>{subtitle}</div>}
        <div className={classes.actions}>{actions}</div>
      </header>
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </div>
  );
  if (aside === undefined || aside === null || aside === false) return main;
  return (
    <Splitter
      label={asideLabel}
      storageKey={`aside.${asideLabel.toLowerCase()}`}
      initial={asideWidth}
      drawer={asideDrawer}
      main={main}
      aside={
        <aside className={classes.aside} aria-label={asideLabel}>
          {aside}
        </aside>
      }
    />
  );
}

export interface PanelProps {
  title?: ReactNode;
  /** Beside the title, quieter. */
  hint?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  padding?: 'none' | 'normal';
  /** Takes the height that is left. */
  fill?: boolean;
}

/** A bordered surface. */
export function Panel({ title, hint, actions, children, footer, padding = 'normal', fill = false }: PanelProps) {
  const id = useId();
  const headed = title !== undefined || actions !== undefined;
  return (
    <section
      className={classes.panel}
      data-fill={fill || undefined}
      aria-labelledby={title === undefined ? undefined : id}
    >
      {headed && (
        <header className={classes.panelHead}>
          <h2 className={classes.panelTitle} id={id}>
            {title}
          </h2>
          {hint !== undefined && <span className={classes.hint}>{hint}</span>}
          <div className={classes.actions}>{actions}</div>
        </header>
      )}
      {children !== undefined && (
        <div className={classes.panelBody} data-padding={padding} data-headed={headed || undefined}>
          {children}
        </div>
      )}
      {footer !== undefined && <footer className={classes.panelFoot}>{footer}</footer>}
    </section>
  );
}

export interface SectionProps {
  title: ReactNode;
  /** What the section holds in one sentence: shown while it is folded. */
  summary?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** A section that cannot be folded is always open. */
  foldable?: boolean;
  open?: boolean;
  defaultOpen?: boolean;
  onToggle?: (open: boolean) => void;
  /** Tints the title: something inside wants attention. */
  tone?: 'bad' | 'warn' | undefined;
}

/** A titled part of a panel or page; folded it is one readable sentence. */
export function Section({
  title,
  summary,
  actions,
  children,
  foldable = false,
  open,
  defaultOpen = true,
  onToggle,
  tone,
}: SectionProps) {
  const id = useId();
  const [own, setOwn] = useState(defaultOpen);
  const shown = !foldable || (open ?? own);
  const toggle = () => {
    setOwn(!shown);
    onToggle?.(!shown);
  };
  return (
    <section className={classes.section} data-tone={tone} aria-labelledby={id}>
      <header className={classes.sectionHead}>
        {foldable ? (
          <button
            type="button"
            className={classes.fold}
            aria-expanded={shown}
            aria-controls={`${id}-body`}
            onClick={toggle}
          >
            <IconChevronRight size={14} className={classes.chevron} data-open={shown || undefined} aria-hidden />
            <h3 className={classes.sectionTitle} id={id}>
              {title}
            </h3>
            {!shown && summary !== undefined && <span className={classes.summary}>{summary}</span>}
          </button>
        ) : (
          <h3 className={classes.sectionTitle} id={id}>
            {title}
          </h3>
        )}
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {shown && (
        <div className={classes.sectionBody} id={`${id}-body`} data-foldable={foldable || undefined}>
          {children}
        </div>
      )}
    </section>
  );
}
