/** The curve of a learning rate range test as lines over the exponent of the rate. Pure. */
import { fromNum } from '../../engine/contract/events.ts';
import type { LrFinding } from '../../engine/contract/finders.ts';
import { type ChartMarker, type LineSeries, number } from '../ui/index.ts';

type Curve = Pick<LrFinding, 'lr' | 'loss' | 'smoothed'>;

export function lrCurve({ lr, loss, smoothed }: Curve): LineSeries[] {
  const x = lr.map(Math.log10);
  return [
    { key: 'loss', label: 'Loss', color: 'var(--text-off)', x, mean: loss.map(fromNum) },
    { key: 'smoothed', label: 'Smoothed', color: 'var(--series-0)', x, mean: smoothed },
  ];
}

export function lrMarkers({ suggestion, current, lr }: LrFinding): ChartMarker[] {
  const within = (rate: number) => rate >= (lr[0] ?? 0) && rate <= (lr.at(-1) ?? 0);
  return [
    ...(within(current) ? [{ x: Math.log10(current), label: `Now ${number(current)}`, tone: 'calm' as const }] : []),
    ...(suggestion === null
      ? []
      : [{ x: Math.log10(suggestion), label: `Suggested ${number(suggestion, 2)}`, tone: 'ok' as const }]),
  ];
}

/** What diverges at the end would press all else to the floor: the chart ends somewhat above where the loss began. */
export function lossRange({ loss, smoothed }: Curve): [number | null, number | null] {
  const finite = smoothed.filter(Number.isFinite);
  const raw = loss.map(fromNum).filter(Number.isFinite);
  if (finite.length < 2) return [null, null];
  const [low, first] = [Math.min(...finite, ...raw), finite[0] as number];
  const top = Math.max(first, ...finite.slice(0, Math.ceil(finite.length / 2)));
  const room = Math.max(top - low, Math.abs(top) * 0.05);
  return [low - 0.1 * room, top + 0.5 * room];
}
