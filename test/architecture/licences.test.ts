/** What is shipped may be shipped: every dependency's licence is allowed and every one is named in the notices. */
import { expect, test } from 'vitest';
import { files, read } from './sources.ts';

const allowed = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'OFL-1.1',
]);

interface LockEntry {
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
}

/** Packages that `npm install --omit=dev` brings. */
const shipped = Object.entries(JSON.parse(read('package-lock.json')).packages as Record<string, LockEntry>)
  .filter(([place, entry]) => place !== '' && !entry.dev && !entry.devOptional)
  .map(([place, entry]) => ({ name: place.replace(/^.*node_modules\//, ''), licence: entry.license ?? 'unknown' }));

test('every shipped package has an allowed licence', () => {
  expect(shipped.length).toBeGreaterThan(0);
  expect(shipped.filter(({ licence }) => !allowed.has(licence))).toEqual([]);
});

test('the notices name every shipped package', () => {
  const notices = read('THIRD_PARTY_NOTICES');
  expect(shipped.map(({ name }) => name).filter((name) => !notices.includes(name))).toEqual([]);
});

test('the licence texts are there', () => {
  for (const file of ['LICENSE', 'THIRD_PARTY_NOTICES', 'assets/data/digits/LICENSE']) expect(files).toContain(file);
});
