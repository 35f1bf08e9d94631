/** The Data Doctor on tables: columns that give the target away, that number rows, never change or lack values; outliers, repeats, groups. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { editProject } from '../../engine/contract/project.ts';
import { codes, examine, noise, only } from './doctor-helpers.ts';
import { testFolder } from './idx-writer.ts';

type Cells = Record<string, (row: number, next: () => number) => string | number>;

function csv(columns: Cells, rows = 200, name = 'data.csv', folder = testFolder()): string {
  const next = noise(5);
  const names = Object.keys(columns);
  const lines = Array.from({ length: rows }, (_, row) => names.map((key) => columns[key]?.(row, next)).join(','));
  writeFileSync(join(folder, name), `${[names.join(','), ...lines].join('\n')}\n`);
  return join(folder, name);
}

const normal = (_: number, next: () => number) => (next() + next() + next() + next() - 2).toFixed(4);
const tableOf = (path: string, more: object = {}) => ({ kind: 'table', path, target: 'label', ...more });
const plain: Cells = { age: normal, height: normal, label: (_, next) => (next() < 0.5 ? 'yes' : 'no') };

test('a clean table is silent', async () => {
  expect((await examine(tableOf(csv(plain)), { split: { val: 0.25 } })).findings).toEqual([]);
});

test('one class is nothing to tell apart', async () => {
  const source = tableOf(csv({ age: normal, height: normal, label: () => 'yes' }));
  expect(only(await examine(source), 'ONE_CLASS')).toMatchObject({ severity: 'error' });
});

describe('leaking columns', () => {
  test('a sample or two a class: anything tells them apart', async () => {
    const path = csv({ age: normal, height: (row) => row * row, label: (row) => `kind ${row >> 1}` }, 40);
    expect(codes(await examine(tableOf(path)))).not.toContain('LEAKING');
  });

  test('a category that says the class, and the fix ignores it', async () => {
    let label = 0;
    const path = csv({
      ...plain,
      label: (_, next) => {
        label = Math.floor(next() * 3);
        return `kind ${label}`;
      },
      diagnosis: () => ['flu', 'cold', 'none'][label] as string,
    });
    const source = tableOf(path);
    const finding = only(await examine(source), 'LEAKING');
    expect(finding).toMatchObject({ severity: 'warning', count: 1, offenders: [{ name: 'column diagnosis' }] });
    const project = editProject(JSON.stringify({ gradloom: 1, data: { source } }), finding.fixes[0]?.edits ?? []);
    const mended = JSON.parse(project).data.source;
    expect(mended.columns).toEqual({ diagnosis: { role: 'ignore' } });
    expect(codes(await examine(mended))).toEqual([]);
  });

  test('a number that says the class by a threshold; one that mostly does is none', async () => {
    let positive = false;
    const path = csv({
      label: (_, next) => {
        positive = next() < 0.5;
        return positive ? 'yes' : 'no';
      },
      age: normal,
      score: (_, next) => ((positive ? 5 : 0) + next()).toFixed(5),
      hint: (_, next) => ((positive ? 0.8 : 0) + next()).toFixed(5),
    });
    expect(only(await examine(tableOf(path)), 'LEAKING').offenders).toEqual([
      { name: 'column score', detail: '1 threshold on it tells all classes apart' },
    ]);
  });

  test('a number that is the target in other units', async () => {
    let celsius = 0;
    const path = csv({
      label: (_, next) => {
        celsius = next() * 30;
        return celsius.toFixed(3);
      },
      wind: normal,
      fahrenheit: () => (celsius * 1.8 + 32).toFixed(3),
      near: (_, next) => (celsius + 4 * next()).toFixed(3),
    });
    const source = tableOf(path, { columns: { label: { role: 'target_value' } } });
    const { offenders } = only(await examine(source), 'LEAKING');
    expect(offenders).toEqual([{ name: 'column fahrenheit', detail: 'correlation 1.0000' }]);
  });

  test('a running number', async () => {
    const path = csv({ ...plain, nr: (row) => row + 1000 });
    const source = tableOf(path, { columns: { nr: { role: 'numeric' } } });
    expect(only(await examine(source), 'LEAKING')).toMatchObject({
      severity: 'note',
      offenders: [{ name: 'column nr' }],
    });
  });
});

test('far outliers by name of row and column; a long tail is none', async () => {
  const path = csv({
    ...plain,
    age: (row, next) => (row === 17 || row === 90 ? 999 : Math.round(20 + 50 * next())),
    income: (_, next) => Math.exp(2 * (next() + next() + next() - 1.5)).toFixed(4),
  });
  const finding = only(await examine(tableOf(path)), 'ODD_VALUES');
  expect(finding).toMatchObject({ severity: 'warning', count: 2 });
  expect(finding.offenders.map(({ name, index }) => [name, index])).toEqual([
    ['row 18', 17],
    ['row 91', 90],
  ]);
  expect(finding.offenders[0]?.detail).toContain('column age');
  expect(finding.fixes[0]?.marks?.map(({ sample }) => sample)).toEqual(['row 18', 'row 91']);
});

test('constant columns, and values that are missing', async () => {
  const path = csv({
    ...plain,
    unit: () => 3,
    weight: (row, next) => (row % 4 === 0 ? '' : next().toFixed(4)),
    rare: (row, next) => (row % 10 ? '' : next().toFixed(4)),
  });
  const source = tableOf(path, { columns: { unit: { role: 'numeric' } } });
  const report = await examine(source);
  expect(only(report, 'CONSTANT').offenders[0]?.name).toBe('column unit');
  const missing = only(report, 'MISSING');
  expect(missing).toMatchObject({ severity: 'warning', count: 230 });
  expect(missing.offenders).toEqual([
    { name: 'column rare', detail: '180 values, 90.0%' },
    { name: 'column weight', detail: '50 values, 25.0%' },
  ]);
  expect(missing.fixes[0]?.label).toBe('Ignore column rare');
});

test('equal rows of few different values are likely chance; single ones in a table of numbers are told', async () => {
  const dice = csv({ first: (_, next) => Math.ceil(6 * next()), second: (_, next) => Math.ceil(6 * next()), ...plain });
  const few = csv({
    first: (_, next) => Math.ceil(6 * next()),
    second: (_, next) => Math.ceil(6 * next()),
    label: (_, next) => (next() < 0.5 ? 'yes' : 'no'),
  });
  expect(codes(await examine(tableOf(dice)))).toEqual([]);
  const report = await examine(tableOf(few));
  expect(report.findings.every(({ severity }) => severity === 'note')).toBe(true);
  expect(only(report, 'EXACT_DUPLICATE').hint).toContain('happen to have equal values');
});

test('groups stay together in a drawn validation, and are told where they are on both sides of parts', async () => {
  const columns = { role: 'group' };
  const rows: Cells = { ...plain, patient: (row) => `p${Math.floor(row / 10)}` };
  const drawn = await examine(tableOf(csv(rows), { columns: { patient: columns } }), { split: { val: 0.2 } });
  expect(drawn.findings).toEqual([]);
  expect(drawn.splits.map(({ name, count }) => [name, count])).toEqual([
    ['train', 160],
    ['val', 40],
  ]);
  const parts: Cells = { ...rows, part: (row) => (row % 5 === 0 ? 'test' : 'train') };
  const source = tableOf(csv(parts, 50), { columns: { patient: columns }, part_column: 'part' });
  const finding = only(await examine(source, { split: { val: 'test' } }), 'GROUP_SPLIT');
  expect(finding).toMatchObject({ severity: 'warning', count: 5 });
  expect(finding.offenders[1]).toEqual({ name: 'p1', detail: 'training and validation and test' });
  const own: Cells = {
    ...rows,
    part: (row) => ['train', 'val', 'test', 'test', 'train'][Math.floor(row / 10)] as string,
  };
  const apart = tableOf(csv(own, 50), { columns: { patient: columns }, part_column: 'part' });
  for (const val of ['val', 'test'])
    expect(codes(await examine(apart, { split: { val } }))).not.toContain('GROUP_SPLIT');
});
