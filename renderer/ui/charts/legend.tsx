/** The series by name, colour and newest value; a click hides one, a double click shows it alone. */
import { memo, type RefObject } from 'react';
import classes from './chart.module.css';
import { type LineSeries, lastFinite } from './model.ts';

export interface LegendProps {
  /** Holds the places of the newest values, which are written by `tellNewest`: they change too often for React. */
  ref: RefObject<HTMLSpanElement | null>;
  series: readonly LineSeries[];
  off: ReadonlySet<string>;
  onToggle: (key: string, alone: boolean) => void;
  onFocus: (key: string | null) => void;
}

function LegendOf({ ref, series, off, onToggle, onFocus }: LegendProps) {
  return (
    <span ref={ref} className={classes.legend}>
      {series.map(({ key, label, color, dashed, ghost }) => (
        <button
          key={key}
          type="button"
          className={classes.legendItem}
          aria-pressed={!off.has(key)}
          title="Click: show or hide. Double click: this one alone."
          onClick={(event) => {
            // The second click of a double click has undone the first.
            if (event.detail === 2) onToggle(key, true);
            else if (event.detail < 2) onToggle(key, false);
          }}
          onPointerEnter={() => onFocus(key)}
          onPointerLeave={() => onFocus(null)}
        >
          <svg width={14} height={8} aria-hidden>
            <line
              x1={0}
              x2={14}
              y1={4}
              y2={4}
              stroke={color}
              strokeWidth={2}
              strokeDasharray={dashed ? '4 3' : ghost ? '2 2' : ''}
              opacity={ghost ? 0.6 : 1}
            />
          </svg>
          <span className={classes.legendLabel}>{label}</span>
          <span className={classes.legendValue} />
        </button>
      ))}
    </span>
  );
}

/** Whether both are shown by the same legend, apart from the newest values. */
export function sameLegend(a: readonly LineSeries[], b: readonly LineSeries[]): boolean {
  const parts = ['key', 'label', 'color', 'dashed', 'ghost'] as const;
  return (
    a.length === b.length &&
    a.every((line, index) => parts.every((part) => line[part] === (b[index] as LineSeries)[part]))
  );
}

export const Legend = memo(
  LegendOf,
  (was, is) =>
    was.off === is.off &&
    was.onToggle === is.onToggle &&
    was.onFocus === is.onFocus &&
    sameLegend(was.series, is.series),
);

/** Writes the newest value of each series into the legend that was drawn for them. */
export function tellNewest(
  legend: HTMLElement,
  series: readonly LineSeries[],
  yFormat: (value: number) => string,
): void {
  for (const [index, { mean }] of series.entries()) {
    const place = legend.children[index]?.lastElementChild;
    const text = mean.length > 0 ? yFormat(lastFinite(mean)) : '–';
    if (place && place.textContent !== text) place.textContent = text;
  }
}
