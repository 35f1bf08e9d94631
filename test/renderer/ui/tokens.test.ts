/** The colours in both themes: text is readable, marks and series are seen, series of runs stay the same. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { seriesCount, seriesIndex } from '../../../renderer/ui/theme/colors.ts';

const css = readFileSync(new URL('../../../renderer/ui/theme/tokens.css', import.meta.url), 'utf8');
const schemes = ['light', 'dark'] as const;

function color(name: string, scheme: (typeof schemes)[number]): number[] {
  const pair = new RegExp(`--${name}: (?:light-dark\\((#\\w{6}), (#\\w{6})\\)|(#\\w{6}));`).exec(css);
  const hex = pair?.[3] ?? pair?.[scheme === 'light' ? 1 : 2];
  if (!hex) throw new Error(`tokens.css has no opaque colour --${name}`);
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
}

function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: readonly number[], b: readonly number[]): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ['bg-app', 'bg-rail', 'bg-surface', 'bg-raised', 'bg-sunken', 'bg-input'];
const categories = ['dense', 'conv', 'pool', 'norm', 'activation', 'shape', 'block'];
const tones = ['ok', 'warn', 'bad', 'info', 'calm'];

describe.each(schemes)('%s', (scheme) => {
  const pairs: [string, string, number][] = [
    ...['text', 'text-2', 'text-3'].flatMap((text) =>
      [...surfaces, 'bg-selected'].map((below): [string, string, number] => [text, below, 4.5]),
    ),
    ...['accent-text', 'ok-text', 'warn-text', 'bad-text', 'info-text'].flatMap((text) =>
      surfaces.map((below): [string, string, number] => [text, below, 4.5]),
    ),
    ['accent-text', 'accent-tint', 4.5],
    ['accent-text', 'bg-selected', 4.5],
    ['on-accent', 'accent-fill', 4.5],
    ['on-accent', 'accent-fill-hover', 4.5],
    ['on-accent', 'bad-fill', 4.5],
    ['text-tooltip', 'bg-tooltip', 4.5],
    ...tones.map((tone): [string, string, number] => [`${tone}-text`, `${tone}-tint`, 4.5]),
    ...tones.map((tone): [string, string, number] => [tone, 'bg-surface', 2.9]),
    ...categories.flatMap((category): [string, string, number][] => [
      [`cat-${category}-text`, `cat-${category}-tint`, 4.5],
      ['text', `cat-${category}-tint`, 4.5],
      ['text-2', `cat-${category}-tint`, 4.5],
      [`cat-${category}`, 'bg-surface', 3],
    ]),
    ...Array.from({ length: seriesCount }, (_, index): [string, string, number] => [
      `series-${index}`,
      'bg-surface',
      3,
    ]),
    ['focus', 'bg-app', 3],
    ['focus', 'bg-surface', 3],
  ];
  test.each(pairs)('%s on %s', (text, below, least) => {
    expect(contrast(color(text, scheme), color(below, scheme))).toBeGreaterThanOrEqual(least);
  });
});

test('runs that follow one another have colours of their own, the same every time', () => {
  const names = Array.from({ length: seriesCount }, (_, index) => `digits-mlp-${String(index + 1).padStart(3, '0')}`);
  expect(new Set(names.map(seriesIndex)).size).toBe(seriesCount);
  expect(names.map(seriesIndex)).toEqual(names.map(seriesIndex));
});
