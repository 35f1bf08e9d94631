/** What a page says when there is nothing, when something failed, and what a run's state is. */
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { RunState } from '../../../engine/contract/events.ts';
import { drawIcon, type IconProp } from './icon.tsx';
import classes from './notices.module.css';

export interface EmptyStateProps {
  icon?: IconProp;
  title: ReactNode;
  /** What belongs here and how to get it. */
  children?: ReactNode;
  action?: ReactNode;
  /** A line or two in a small place rather than a whole page. */
  compact?: boolean;
}

export function EmptyState({ icon, title, children, action, compact = false }: EmptyStateProps) {
  return (
    <div className={classes.empty} data-compact={compact || undefined}>
      {icon !== undefined && (
        <div className={classes.emptyIcon} aria-hidden>
          {drawIcon(icon, 28)}
        </div>
      )}
      <h2 className={classes.emptyTitle}>{title}</h2>
      {children !== undefined && <div className={classes.emptyText}>{children}</div>}
      {action !== undefined && <div className={classes.emptyAction}>{action}</div>}
    </div>
  );
}

export type Tone = 'info' | 'warn' | 'bad' | 'ok';
const toneIcons = {
  info: IconInfoCircle,
  warn: IconAlertTriangle,
  bad: IconAlertCircle,
  ok: IconCircleCheck,
} as const;

export interface NoticeProps {
  tone?: Tone;
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  /** Announced at once by assistive technology. */
  alert?: boolean;
}

/** A quiet card: what is so, and a button that does something about it. */
export function Notice({ tone = 'info', title, children, actions, alert = false }: NoticeProps) {
  const Icon = toneIcons[tone];
  return (
    <div className={classes.notice} data-tone={tone} role={alert ? 'alert' : 'note'}>
      <Icon size={16} className={classes.noticeIcon} aria-hidden />
      <div className={classes.noticeBody}>
        {title !== undefined && <div className={classes.noticeTitle}>{title}</div>}
        {children !== undefined && <div className={classes.noticeText}>{children}</div>}
        {actions !== undefined && <div className={classes.noticeActions}>{actions}</div>}
      </div>
    </div>
  );
}

export interface ErrorNoticeProps {
  error: {
    code: string;
    message: string;
    hint?: string | undefined;
    path?: string | undefined;
  };
  actions?: ReactNode;
}

/** What happened, where, what to do, and a button that does it. */
export function ErrorNotice({ error, actions }: ErrorNoticeProps) {
  return (
    <Notice tone="bad" title={error.message} actions={actions} alert>
      {error.hint !== undefined && <p>{error.hint}</p>}
      <p className={classes.where}>
        {error.path !== undefined && !error.message.includes(error.path) && (
          <code className={classes.path}>{error.path}</code>
        )}
        <code className={classes.code}>{error.code}</code>
      </p>
    </Notice>
  );
}

const states: Record<RunState, { label: string; tone: Tone | 'calm' | 'live' }> = {
  queued: { label: 'Queued', tone: 'calm' },
  preparing: { label: 'Preparing', tone: 'live' },
  running: { label: 'Running', tone: 'live' },
  paused: { label: 'Paused', tone: 'warn' },
  parked: { label: 'Parked', tone: 'warn' },
  completed: { label: 'Completed', tone: 'ok' },
  stopped: { label: 'Stopped', tone: 'calm' },
  interrupted: { label: 'Interrupted', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
};

/** A run's state as a mark with its word. */
export function StatusBadge({ status }: { status: RunState }) {
  const { label, tone } = states[status];
  return (
    <span className={classes.badge} data-tone={tone} data-status={status}>
      <span className={classes.dot} aria-hidden />
      {label}
    </span>
  );
}
