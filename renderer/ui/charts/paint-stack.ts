/** Paints amounts on top of each other on a canvas: each an area with its edge. */
import { type Range, scaleOf } from './scale.ts';

export interface StackPlace {
  x: Range;
  y: Range;
  /** The plot's size in CSS pixels. */
  width: number;
  height: number;
  /** One a series, as the canvas knows colours. */
  colors: readonly string[];
}

/** `tops`: for each series, from the bottom up, what it reaches at each place of `x`. */
export function paintStack(
  context: CanvasRenderingContext2D,
  { x, tops }: { x: readonly number[]; tops: readonly (readonly number[])[] },
  { x: range, y, width, height, colors }: StackPlace,
): void {
  const toX = scaleOf(range, [0, width], false);
  const toY = scaleOf(y, [height, 0], false);
  context.clearRect(0, 0, width, height);
  context.lineWidth = 1;
  context.lineJoin = 'round';
  for (const [index, top] of tops.entries()) {
    const below = tops[index - 1];
    const edge = new Path2D();
    for (const [at, value] of top.entries()) edge.lineTo(toX(x[at] as number), toY(value));
    const area = new Path2D(edge);
    for (let at = top.length - 1; at >= 0; at--) area.lineTo(toX(x[at] as number), toY(below?.[at] ?? 0));
    context.fillStyle = colors[index] ?? 'grey';
    context.strokeStyle = colors[index] ?? 'grey';
    context.globalAlpha = 0.32;
    context.fill(area);
    context.globalAlpha = 1;
    context.stroke(edge);
  }
}
