/** What is shipped may be shipped: the licence of every package that runs or is built into the window is allowed, and the notices name it. */
import { expect, test } from 'vitest';
import { files, importsOf, isTypeScript, read } from './sources.ts';

/** The Unlicense gives a work to the public domain. */
const allowed = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'OFL-1.1',
  'Unlicense',
]);

/** Libraries that are linked as files of their own may be under a weaker copyleft: sharp's libvips. */
const linked = /^@img\/sharp-/;

interface LockEntry {
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  dependencies?: Record<string, string>;
}

const lock = JSON.parse(read('package-lock.json')).packages as Record<string, LockEntry>;
const nameOf = (place: string) => place.replace(/^.*node_modules\//, '');

/** Packages that `npm install --omit=dev` brings. */
const installed = Object.keys(lock).filter((place) => place !== '' && !lock[place]?.dev && !lock[place]?.devOptional);

/** Where the package that is called `name` by one at `place` lies. */
function resolve(place: string, name: string): string | undefined {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const candidate = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[candidate]) return candidate;
    if (folder === '') return undefined;
  }
}

/** Packages that the window's sources import, and what those need: the build takes its modules from among them. */
function bundled(): Set<string> {
  const imported = files
    .filter((file) => file.startsWith('renderer/') && isTypeScript(file) && file !== 'renderer/vite.config.ts')
    .flatMap((file) => importsOf(file).filter(({ target }) => target === null))
    .map(({ specifier }) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
  const found = new Set<string>();
  const pending = imported.map((name) => resolve('', name) ?? `missing ${name}`);
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    // Types are gone from what is built.
    if (found.has(place) || nameOf(place).startsWith('@types/')) continue;
    found.add(place);
    for (const name of Object.keys(lock[place]?.dependencies ?? {})) {
      pending.push(resolve(place, name) ?? `missing ${name}`);
    }
  }
  return found;
}

const shipped = [...new Set([...installed, ...bundled()])].map((place) => ({
  name: nameOf(place),
  licence: lock[place]?.license ?? 'unknown',
}));

/** `(MIT OR CC0-1.0)`: one of them is enough; `MIT AND ISC`: all are needed. */
function mayBeShipped(licence: string, name = ''): boolean {
  const may = (one: string) => allowed.has(one) || (one === 'LGPL-3.0-or-later' && linked.test(name));
  return licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every(may));
}

test('every shipped package has an allowed licence', () => {
  expect(shipped.filter(({ licence, name }) => !mayBeShipped(licence, name))).toEqual([]);
});

test('both halves of the program were looked at', () => {
  const names = shipped.map(({ name }) => name);
  for (const name of ['commander', 'react-dom', '@mantine/core', '@floating-ui/dom']) expect(names).toContain(name);
  expect(mayBeShipped('MIT AND GPL-3.0')).toBe(false);
  expect(mayBeShipped('LGPL-3.0-or-later', 'some-package')).toBe(false);
});

test('the notices name every shipped package', () => {
  const named = new Set([...read('THIRD_PARTY_NOTICES').matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name]) => name));
  expect(shipped.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
});

test('the licence texts are there', () => {
  const data = ['digits', 'digit-scenes', 'cells', 'play'].map((name) => `assets/data/${name}/LICENSE`);
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'THIRD_PARTY_NOTICES', ...data]));
  const notices = read('THIRD_PARTY_NOTICES');
  for (const text of ['SIL OPEN FONT LICENSE', 'Permission to use, copy, modify, and/or distribute']) {
    expect(notices).toContain(text);
  }
});
