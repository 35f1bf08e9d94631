/** Numbers, sizes and shapes as people read them, in the terminal and in the window alike. */

/** With a large first letter, as a sentence begins. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function integer(value: number): string {
  return whole.format(value);
}

/** The whole numbers of a text with their thousands apart. */
export function grouped(text: string): string {
  return text.replace(/(?<![\w.,])\d{4,}(?!\w)/g, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0;
  let left = value;
  // Rounded up to 1024.0 it is one of the next unit.
  for (; left >= (unit === 0 ? 1024 : 1023.95) && unit < units.length - 1; unit++) left /= 1024;
  return `${unit === 0 ? left : left.toFixed(1)} ${units[unit]}`;
}

export function seconds(value: number): string {
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 100) return `${value.toFixed(0)} s`;
  const all = Math.round(value);
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor((all % 3600) / 60)];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(all % 60)} h` : `${minutes}:${two(all % 60)} min`;
}

/** `1×28×28`; a single number has no dimensions. */
export function dims(shape: readonly number[]): string {
  return shape.length === 0 ? 'scalar' : shape.join('×');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${integer(count)} ${count === 1 ? one : many}`;
}

/** `2nd`, `13th`. */
export function ordinal(count: number): string {
  const last = count % 100 > 10 && count % 100 < 14 ? 0 : count % 10;
  return `${integer(count)}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`;
}
