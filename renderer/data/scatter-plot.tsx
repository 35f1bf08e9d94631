/** Samples of two numbers as points of a plane in the colours of their classes; samples of one number over it. */
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { DataFacts, PartName } from '../../engine/contract/tensors.ts';
import type { ProjectPreview } from '../../engine/contract/wire.ts';
import { integer, number, plural, resolveColor, seriesCount, useLook, useWidth } from '../ui/index.ts';
import { pressMarkKey } from './mark-keys.ts';
import classes from './scatter.module.css';
import { nearestPoint, placed, pointsOf, pointTowards, type Way } from './scatter.ts';

export interface ScatterPlotProps {
  preview: ProjectPreview;
  facts: DataFacts;
  part: PartName;
  selected: number | null;
  onSelect: (index: number) => void;
  /** Enter: on to what is told of it. */
  onOpen: () => void;
}

const height = 420;
const ways: Record<string, Way> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' };

export function ScatterPlot({ preview, facts, part, selected, onSelect, onOpen }: ScatterPlotProps) {
  const { samples } = preview;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const full = useWidth(box);
  // A plane has one scale as long as there is room for it.
  const width = Math.min(full, 640);
  const look = useLook();
  const points = useMemo(() => pointsOf(samples), [samples]);
  const [over, setOver] = useState<number | null>(null);
  const chosen = selected === null ? -1 : samples.findIndex(({ index }) => index === selected);

  useEffect(() => {
    void look;
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current || !box.current || width === 0) return;
    const sharp = window.devicePixelRatio || 1;
    canvas.current.width = Math.round(width * sharp);
    canvas.current.height = Math.round(height * sharp);
    context.scale(sharp, sharp);
    const colors = Array.from({ length: seriesCount }, (_, index) =>
      resolveColor(`var(--series-${index})`, box.current as Element),
    );
    const text = resolveColor('var(--text)', box.current);
    const [x, y] = [placed(points.range.x, width), placed(points.range.y, height)];
    const dot = samples.length > 1500 ? 2 : 3;
    context.globalAlpha = samples.length > 400 ? 0.65 : 0.85;
    for (let i = 0; i < samples.length; i += 1) {
      context.fillStyle = colors[Math.max(0, points.group[i] as number) % seriesCount] as string;
      context.beginPath();
      context.arc(x(points.x[i] as number), height - y(points.y[i] as number), dot, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
    if (chosen >= 0) {
      context.strokeStyle = text;
      context.lineWidth = 2;
      context.beginPath();
      context.arc(x(points.x[chosen] as number), height - y(points.y[chosen] as number), dot + 3, 0, 2 * Math.PI);
      context.stroke();
    }
  }, [points, samples, width, look, chosen]);

  const at = (event: PointerEvent<HTMLCanvasElement>) => {
    const area = event.currentTarget.getBoundingClientRect();
    return nearestPoint(points, { x: event.clientX - area.left, y: event.clientY - area.top }, { width, height });
  };
  const press = (event: KeyboardEvent) => {
    const sample = samples[chosen];
    if (sample && pressMarkKey(event, { part, sample, target: facts.target })) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      return onOpen();
    }
    const last = samples.length - 1;
    // By way of their numbers each one can be come to, also of two at one place.
    const places: Record<string, number> = { Home: 0, End: last, PageUp: chosen - 1, PageDown: chosen + 1 };
    const way = ways[event.key];
    const to =
      way === undefined ? places[event.key] : chosen < 0 ? 0 : pointTowards(points, chosen, way, { width, height });
    if (to === undefined) return;
    event.preventDefault();
    setOver(null);
    const found = samples[to ?? -1];
    if (found) onSelect(found.index);
  };
  const names = facts.target.kind === 'class' ? facts.target.classes : [];
  const told = samples[over ?? chosen];
  return (
    <div ref={box} className={classes.place}>
      {/* The keys are its own: a screen reader that reads on by arrows would keep them. */}
      <div
        className={classes.keys}
        role="application"
        aria-label="Samples"
        aria-describedby={`${id}-told`}
        data-samples=""
        // biome-ignore lint/a11y/noNoninteractiveTabindex: points are chosen by arrow keys
        tabIndex={0}
        onKeyDown={press}
      >
        <canvas
          ref={canvas}
          className={classes.plot}
          style={{ width, height }}
          role="img"
          aria-label={`${plural(samples.length, 'sample')} as points, from ${words(points.range.x)} across and ${words(points.range.y)} up`}
          onPointerMove={(event) => setOver(at(event))}
          onPointerLeave={() => setOver(null)}
          onPointerDown={(event) => {
            const found = samples[at(event) ?? -1];
            if (found) onSelect(found.index);
          }}
        />
      </div>
      <div className={classes.side}>
        {names.length > 0 && (
          <ul className={classes.legend} aria-label="Classes">
            {names.slice(0, 24).map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a class is its index
              <li key={index}>
                <span className={classes.swatch} style={{ background: `var(--series-${index % seriesCount})` }} />
                {name}
              </li>
            ))}
          </ul>
        )}
        <p className={classes.told} id={`${id}-told`} aria-live="polite">
          {told
            ? `Sample ${integer(told.index)}: ${told.raw.map((value) => number(value, 3)).join(', ')}${
                told.target === null ? '' : `, class ${names[told.target] ?? told.target}`
              }${told.goal ? ` → ${told.goal.map((value) => number(value, 3)).join(', ')}` : ''}`
            : 'Point at a sample for its numbers, click it for more. Arrow keys go from point to point, Page Down in their order.'}
        </p>
      </div>
    </div>
  );
}

const words = ([least, most]: readonly [number, number]) => `${number(least, 3)} to ${number(most, 3)}`;
