/** Samples that are no pictures, painted small: bars around zero, lines over positions. */
import { type Layout, toBars } from './pixels.ts';

interface Size {
  width: number;
  height: number;
}

/** From zero where zero is in sight. */
export function paintBars(
  context: CanvasRenderingContext2D,
  values: readonly number[],
  [least, most]: [number, number],
  { width, height }: Size,
  color: string,
): void {
  context.clearRect(0, 0, width, height);
  const bars = toBars(values, width);
  const low = Math.min(0, least);
  const span = Math.max(0, most) - low || 1;
  const at = (value: number) => height - ((value - low) / span) * height;
  const pitch = width / Math.max(1, bars.length);
  context.fillStyle = color;
  for (const [index, bar] of bars.entries()) {
    const top = at(Math.max(0, bar.most));
    const bottom = at(Math.min(0, bar.least));
    context.fillRect(index * pitch, top, Math.max(1, pitch - (pitch > 3 ? 1 : 0)), Math.max(1, bottom - top));
  }
}

/** One line a series, all on one scale. */
export function paintLines(
  context: CanvasRenderingContext2D,
  values: readonly number[],
  { count, length, seriesStep, valueStep }: Extract<Layout, { kind: 'lines' }>,
  [least, most]: [number, number],
  { width, height }: Size,
  color: (series: number) => string,
): void {
  context.clearRect(0, 0, width, height);
  const edge = 3;
  const span = most - least || 1;
  const x = (at: number) => edge + (at / Math.max(1, length - 1)) * (width - 2 * edge);
  const y = (value: number) => height - edge - ((value - least) / span) * (height - 2 * edge);
  context.lineWidth = 1.25;
  context.lineJoin = 'round';
  for (let series = 0; series < count; series += 1) {
    context.strokeStyle = color(series);
    context.beginPath();
    for (let at = 0; at < length; at += 1) {
      const value = values[series * seriesStep + at * valueStep] as number;
      if (at === 0) context.moveTo(x(at), y(value));
      else context.lineTo(x(at), y(value));
    }
    context.stroke();
  }
}
