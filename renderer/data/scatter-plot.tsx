/** Samples of two numbers as points of a plane in the colours of their classes; samples of one number over it. */
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import type { ProjectPreview } from '../../engine/contract/wire.ts';
import { integer, number, plural, resolveColor, seriesCount, useLook, useWidth } from '../ui/index.ts';
import classes from './scatter.module.css';
import { nearestPoint, placed, pointsOf } from './scatter.ts';

export interface ScatterPlotProps {
  preview: ProjectPreview;
  facts: DataFacts;
  selected: number | null;
  onSelect: (index: number) => void;
}

const height = 420;

export function ScatterPlot({ preview, facts, selected, onSelect }: ScatterPlotProps) {
  const { samples } = preview;
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
  const names = facts.target.kind === 'class' ? facts.target.classes : [];
  const told = over === null ? null : samples[over];
  return (
    <div ref={box} className={classes.place}>
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
        <p className={classes.told}>
          {told
            ? `Sample ${integer(told.index)}: ${told.raw.map((value) => number(value, 3)).join(', ')}${
                told.target === null ? '' : `, class ${names[told.target] ?? told.target}`
              }${told.goal ? ` → ${told.goal.map((value) => number(value, 3)).join(', ')}` : ''}`
            : 'Point at a sample for its numbers, click it for more.'}
        </p>
      </div>
    </div>
  );
}

const words = ([least, most]: readonly [number, number]) => `${number(least, 3)} to ${number(most, 3)}`;
