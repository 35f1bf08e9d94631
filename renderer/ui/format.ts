/** Numbers, sizes, times and shapes as the window shows them. */
export { bytes, capital, dims, integer, plural, seconds } from '../../engine/contract/format.ts';

const minus = '−';

/** A figure with `digits` significant digits, thousands apart, no exponent where it can be read without. */
export function number(value: number, digits = 4): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${minus}∞`;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) {
    const [mantissa = '', exponent = '0'] = value.toExponential(digits - 1).split('e');
    return signed(`${trimmed(mantissa)}e${Number(exponent)}`);
  }
  const places = Math.min(10, Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
  return signed(decimals(places).format(value));
}

const made = new Map<number, Intl.NumberFormat>();

/** Making one is slow, and charts write hundreds of figures a second. */
function decimals(places: number): Intl.NumberFormat {
  const known = made.get(places) ?? new Intl.NumberFormat('en-US', { maximumFractionDigits: places });
  made.set(places, known);
  return known;
}

function trimmed(mantissa: string): string {
  return mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
}

function signed(text: string): string {
  return text.startsWith('-') ? `${minus}${text.slice(1)}` : text;
}

const scales = ['', ' k', ' M', ' G', ' T', ' P', ' E'];

/** `value` by thousands: 1.24 M. Values below 1,000 are whole. */
function scaled(value: number, unit = ''): string {
  if (!Number.isFinite(value)) return number(value);
  let left = Math.abs(value);
  let scale = 0;
  // 999.95 k is a thousand of the next scale once it is rounded.
  for (; left >= 999.5 && scale < scales.length - 1; scale++) left /= 1000;
  const text = scale === 0 ? String(Math.round(left)) : Number(left.toPrecision(3)).toString();
  const suffix = scale === 0 ? (unit === '' ? '' : ` ${unit}`) : `${scales[scale]}${unit}`;
  return `${value < 0 && text !== '0' ? minus : ''}${text}${suffix}`;
}

/** Of things: 1.24 M. */
export function count(value: number): string {
  return scaled(value);
}

/** Operations: 3.1 GFLOP. */
export function flops(value: number): string {
  return scaled(value, 'FLOP');
}

/** 0.9312 is 93.12 %. */
export function percent(value: number, places = 2): string {
  return Number.isFinite(value) ? `${signed((value * 100).toFixed(places))} %` : number(value);
}

/** A length of time from microseconds to days, two units at most. */
export function duration(value: number): string {
  if (!Number.isFinite(value)) return '—';
  if (value < 0) return `${minus}${duration(-value)}`;
  if (value === 0) return '0 s';
  if (value < 0.9995e-3) return `${Number((value * 1e6).toPrecision(3))} µs`;
  if (value < 0.9995) return `${Number((value * 1e3).toPrecision(3))} ms`;
  if (value < 59.95) return `${value < 9.995 ? value.toFixed(1) : Math.round(value)} s`;
  const all = Math.round(value);
  const units: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
  const first = units.findIndex(([size]) => all >= size);
  const [[large, largeName], small] = [units[first] as [number, string], units[first + 1]];
  const whole = Math.floor(all / large);
  const rest = small ? Math.floor((all % large) / small[0]) : 0;
  return rest === 0 || !small ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${small[1]}`;
}

/** Things a second: 48.2 k samples/s. */
export function rate(value: number, things = ''): string {
  if (!Number.isFinite(value)) return '—';
  const text = value < 100 ? String(Number(value.toPrecision(3))) : scaled(value);
  return `${text}${things === '' ? '' : ` ${things}`}/s`;
}

const day = 86_400_000;

/** Of today "14:02"; else with its day: "12 Mar, 14:02". */
export function clock(date: string | number | Date, now: number = Date.now()): string {
  const then = new Date(date);
  const time = then.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const today = then.toDateString() === new Date(now).toDateString();
  return today ? time : `${then.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })}, ${time}`;
}

/** When something was, seen from `now`: "just now", "5 min ago", "yesterday", "12 Mar". */
export function ago(date: string | number | Date, now: number = Date.now()): string {
  const then = new Date(date);
  const time = then.getTime();
  if (Number.isNaN(time)) return '—';
  const past = now - time;
  if (past < 45_000 && past > -45_000) return 'just now';
  if (past >= 0 && past < 3_600_000) return `${Math.max(1, Math.round(past / 60_000))} min ago`;
  const today = new Date(now);
  const midnight = new Date(today.getFullYear(), today.getMonth(), today.getDate()).getTime();
  if (past >= 0 && time >= midnight) return `${Math.round(past / 3_600_000)} h ago`;
  if (past >= 0 && time >= midnight - day) return 'yesterday';
  if (past >= 0 && time >= midnight - 6 * day) return `${Math.ceil((midnight - time) / day)} days ago`;
  return then.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(then.getFullYear() === today.getFullYear() ? {} : { year: 'numeric' }),
  });
}

/** Date and time in full, for tooltips. */
export function moment(date: string | number | Date): string {
  return new Date(date).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** What happened and what to do as running text, each part closed by one full stop, whether or not it brings its own. */
export function inSentences({ message, hint }: { message: string; hint?: string | undefined }): string {
  return [message, hint]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => `${part?.replace(/[.\s]+$/, '')}.`)
    .join(' ');
}
