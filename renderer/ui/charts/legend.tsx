/** The series by name, colour and newest value; a click hides one, a double click shows it alone. */
import classes from './chart.module.css';
import { type LineSeries, lastFinite } from './model.ts';

export interface LegendProps {
  series: readonly LineSeries[];
  off: ReadonlySet<string>;
  yFormat: (value: number) => string;
  onToggle: (key: string, alone: boolean) => void;
  onFocus: (key: string | null) => void;
}

export function Legend({ series, off, yFormat, onToggle, onFocus }: LegendProps) {
  return (
    <span className={classes.legend}>
      {series.map(({ key, label, color, mean, dashed, ghost }) => (
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
          <span className={classes.legendValue}>{mean.length > 0 ? yFormat(lastFinite(mean)) : '–'}</span>
        </button>
      ))}
    </span>
  );
}
