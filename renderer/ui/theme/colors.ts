/** Colours by name, of a run's series. All are CSS variables, so a change of theme needs no render. */

/** How many series colours there are. */
export const seriesCount = 8;

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index);
    value = Math.imul(value, 0x01000193);
  }
  return value >>> 0;
}

/** The place of a name among the series colours: names that differ in their final number alone take neighbouring ones. */
export function seriesIndex(key: string): number {
  const digits = /\d+$/.exec(key)?.[0] ?? '';
  const stem = key.slice(0, key.length - digits.length);
  return (hash(stem) + (digits === '' ? 0 : Number(digits.slice(-6)))) % seriesCount;
}

/** The colour that belongs to a run (or any name), the same everywhere. */
export function seriesColor(key: string): string {
  return `var(--series-${seriesIndex(key)})`;
}

/** What a colour (also `var(…)`) is on screen now, for canvases. */
export function resolveColor(color: string, element: Element): string {
  const probe = document.createElement('span');
  probe.style.color = color;
  element.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}
