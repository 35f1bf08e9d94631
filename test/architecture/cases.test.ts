/** CONTRIBUTING names a test for each case of data and training that has gone wrong elsewhere: every name is that of a test. */
import { expect, test } from 'vitest';
import { files, read } from './sources.ts';

/** Rows of the table: `| 12 | what | test/a.test.ts: name; test/b.test.ts: name |`. */
const cases = [...read('CONTRIBUTING.md').matchAll(/^\| (\d+) \|[^|\n]*\|([^|\n]*)\|$/gm)].flatMap(
  ([, number, tests = '']) =>
    tests.split(';').map((one) => {
      const [file = '', ...name] = one.trim().replaceAll('`', '').split(': ');
      return { number: Number(number), file, name: name.join(': ') };
    }),
);

test('each has one', () => {
  const numbers = [...new Set(cases.map(({ number }) => number))];
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(numbers).toEqual(expect.arrayContaining(Array.from({ length: 16 }, (_, i) => i + 7)));
});

test.each(cases)('case $number: $name', ({ file, name }) => {
  expect(files).toContain(file);
  expect(name).not.toBe('');
  expect(read(file)).toContain(name);
});
