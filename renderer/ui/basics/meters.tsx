/** Amounts as bars: of a limit, of a whole, of a way. */
// biome-ignore-all lint/a11y/useSemanticElements: <meter> cannot be drawn with a range and a limit
import { type ReactNode, useId } from 'react';
import { percent } from '../format.ts';
import classes from './meters.module.css';

export interface MeterProps {
  label: string;
  value: number;
  /** The limit; a value above it is shown as what does not fit. */
  max: number;
  format: (value: number) => string;
  /** Names the limit: "8 GiB of cuda:0". */
  limitLabel?: ReactNode;
  /** How sure: a range around the value. */
  range?: readonly [number, number] | undefined;
  /** Share of `max` from which the bar warns. */
  warnAt?: number;
  /** Beside the value, quieter: "estimated", "measured". */
  note?: ReactNode;
}

/** A value under its limit, with how sure it is. */
export function Meter({ label, limitLabel, note, ...track }: MeterProps) {
  const id = useId();
  return (
    <div className={classes.meter} data-tone={toneOf(track)}>
      <div className={classes.row}>
        <span className={classes.label} id={id}>
          {label}
        </span>
        <span className={classes.value}>
          {track.format(track.value)}
          {note !== undefined && <span className={classes.note}> {note}</span>}
        </span>
      </div>
      <MeterTrack {...track} labelledBy={id} />
      {limitLabel !== undefined && <div className={classes.foot}>{limitLabel}</div>}
    </div>
  );
}

export interface MeterTrackProps extends Pick<MeterProps, 'value' | 'max' | 'format' | 'range' | 'warnAt'> {
  /** One of both names it. */
  label?: string;
  labelledBy?: string;
}

/** The bar alone. */
export function MeterTrack({ label, labelledBy, ...amount }: MeterTrackProps) {
  const { value, max, format, range } = amount;
  const worst = range?.[1] ?? value;
  // What does not fit widens the scale, so that the limit's mark moves in.
  const scale = Math.max(max, worst) * (worst > max ? 1.04 : 1);
  const at = (amount: number) => `${scale > 0 ? Math.min(100, (amount / scale) * 100) : 0}%`;
  return (
    <div
      className={classes.track}
      data-tone={toneOf(amount)}
      role="meter"
      aria-label={label}
      aria-labelledby={labelledBy}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuetext={`${format(value)} of ${format(max)}`}
    >
      <div className={classes.fill} style={{ width: at(value) }} />
      {range && (
        <div
          className={classes.range}
          style={{ left: at(range[0]), width: `calc(${at(range[1])} - ${at(range[0])})` }}
        />
      )}
      {worst > max && <div className={classes.limit} style={{ left: at(max) }} />}
    </div>
  );
}

function toneOf({ value, max, range, warnAt = 0.9 }: Pick<MeterProps, 'value' | 'max' | 'range' | 'warnAt'>) {
  const worst = range?.[1] ?? value;
  return value > max ? 'bad' : worst > max * warnAt ? 'warn' : 'ok';
}

export interface StackedPart {
  label: string;
  value: number;
  color: string;
  /** For the tooltip, instead of the value alone. */
  detail?: string;
}

export interface StackedBarProps {
  label: string;
  parts: readonly StackedPart[];
  /** What 100 % is; the parts' sum unless said. */
  total?: number | undefined;
  format: (value: number) => string;
  legend?: boolean;
  /** The bar's thickness. */
  height?: number;
}

/** Shares of a whole: one bar, with a legend that tells each share. */
export function StackedBar({ label, parts, total, format, legend = true, height = 8 }: StackedBarProps) {
  const whole = total ?? parts.reduce((sum, part) => sum + part.value, 0);
  const share = (value: number) => (whole > 0 ? value / whole : 0);
  const summary = parts
    .map((part) => `${part.label} ${format(part.value)}, ${percent(share(part.value), 0)}`)
    .join('; ');
  return (
    <div className={classes.stacked}>
      <div className={classes.bar} role="img" aria-label={`${label}: ${summary}`} style={{ height }}>
        {parts
          .filter((part) => part.value > 0)
          .map((part) => (
            <div
              key={part.label}
              className={classes.part}
              style={{ flexBasis: `${share(part.value) * 100}%`, background: part.color }}
              title={part.detail ?? `${part.label}: ${format(part.value)} (${percent(share(part.value), 1)})`}
            />
          ))}
      </div>
      {legend && (
        <ul className={classes.legend}>
          {parts.map((part) => (
            <li key={part.label} className={classes.legendItem}>
              <span className={classes.swatch} style={{ background: part.color }} aria-hidden />
              <span className={classes.legendLabel}>{part.label}</span>
              <span className={classes.legendValue}>{format(part.value)}</span>
              <span className={classes.legendShare}>{percent(share(part.value), share(part.value) < 0.1 ? 1 : 0)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export interface ProgressBarProps {
  label: string;
  /** From 0 to 1; null while unknown. */
  value: number | null;
  /** At the right end: "epoch 3 of 10 · 1 min left". */
  detail?: ReactNode;
  /** Without the words. */
  bare?: boolean;
  tone?: 'accent' | 'ok' | 'warn' | 'bad';
}

export function ProgressBar({ label, value, detail, bare = false, tone = 'accent' }: ProgressBarProps) {
  const share = value === null ? null : Math.min(1, Math.max(0, Number.isFinite(value) ? value : 0));
  return (
    <div className={classes.progress}>
      {!bare && (
        <div className={classes.row}>
          <span className={classes.label}>{label}</span>
          <span className={classes.value}>{detail ?? (share === null ? '' : percent(share, 0))}</span>
        </div>
      )}
      <div
        className={classes.way}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === null ? undefined : Math.round(share * 100)}
        data-tone={tone}
      >
        {share === null ? (
          <div className={classes.unknown} />
        ) : (
          <div className={classes.done} style={{ transform: `scaleX(${share})` }} />
        )}
      </div>
    </div>
  );
}
