/** Every row of every table: what it says of itself is complete, parses, and agrees with the addon's row. */
import { describe, expect, test } from 'vitest';
import { exportKinds } from '../../engine/contract/exports.ts';
import { fieldInfo } from '../../engine/contract/fields.ts';
import { layerKind, layerKinds } from '../../engine/contract/layers/index.ts';
import { lossKinds } from '../../engine/contract/losses.ts';
import { metricKinds } from '../../engine/contract/metrics.ts';
import { optimizerKinds } from '../../engine/contract/optimizers.ts';
import { scheduleKinds, warmupFields } from '../../engine/contract/schedules.ts';
import {
  checkpointFields,
  earlyStoppingFields,
  loaderFields,
  modelFields,
  nameField,
  splitFields,
  trainingFields,
} from '../../engine/contract/settings.ts';
import { sourceKinds } from '../../engine/contract/sources.ts';
import { compareTables, describeTables } from '../../engine/contract/tables.ts';
import { emaFields, lossScaleFields } from '../../engine/contract/training-numbers.ts';
import { transformKinds } from '../../engine/contract/transforms.ts';
import { loadAddon } from '../../engine/native/load.ts';

const tables = {
  layerKinds,
  optimizerKinds,
  scheduleKinds,
  lossKinds,
  metricKinds,
  transformKinds,
  sourceKinds,
  exportKinds,
};
const rows = Object.entries(tables).flatMap(([table, list]) => list.map((row) => ({ table, kind: row.kind, row })));

test('the addon has the same rows with the same arguments', () => {
  expect(compareTables(loadAddon().describe())).toEqual([]);
});

test('a difference between the tables is named', () => {
  const own = describeTables();
  const { ReLU, ...layers } = own.layers;
  expect(ReLU).toEqual([]);
  expect(
    compareTables({
      ...own,
      layers: { ...layers, Linear: ['in_features', 'bias'], Extra: [] },
      metrics: { ...own.metrics, f1: [] },
    }),
  ).toEqual([
    'the addon lacks layers ReLU',
    'the addon has unknown layers Extra',
    'the addon lacks arguments of Linear: out_features',
    'the addon has unknown metrics f1',
  ]);
});

test.each(rows)('$table $kind says what it is', ({ table, row }) => {
  expect(row.label).not.toBe('');
  expect(row.help).toMatch(/[.)]$/);
  const kinds = tables[table as keyof typeof tables].filter(({ kind }) => kind === row.kind);
  expect(kinds).toHaveLength(1);
});

describe('every parameter can be a field of a form', () => {
  const settings = {
    ...splitFields,
    ...loaderFields,
    ...modelFields,
    ...trainingFields,
    ...checkpointFields,
    ...lossScaleFields,
    ...emaFields,
    ...earlyStoppingFields,
    ...warmupFields,
    name: nameField,
  };
  const fields = [
    ...rows.flatMap(({ kind, row }) =>
      Object.entries(row.params).map(([key, schema]) => ({ where: `${kind}.${key}`, schema })),
    ),
    ...Object.entries(settings).map(([key, schema]) => ({ where: key, schema })),
  ];
  test.each(fields)('$where', ({ schema }) => {
    const info = fieldInfo(schema);
    expect(info.label).not.toBe('');
    expect(info.help).toMatch(/[.)]$/);
    expect(info.expected).not.toBe('');
    // The default is a value of the field, and what an absent key is read as.
    if ('default' in info) {
      expect(schema.safeParse(undefined)).toEqual({ success: true, data: info.default });
      expect(schema.safeParse(info.default)).toEqual({ success: true, data: info.default });
    } else {
      expect(schema.safeParse(undefined).success).toBe(false);
    }
    if (info.min !== undefined) expect(schema.safeParse(info.min - 1).success).toBe(false);
    for (const name of info.choices ?? []) expect(schema.safeParse(name).success).toBe(true);
    // What is said of columns is an object that may be empty.
    const strange = info.control === 'columns' ? { a: 1 } : {};
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, strange])
      expect(schema.safeParse(wrong).success).toBe(false);
  });
});

test('every layer kind but references has examples', () => {
  expect(layerKinds.filter(({ examples }) => examples.length === 0).map(({ kind }) => kind)).toEqual(['Block']);
  expect(() => layerKind('Conv9d')).toThrow('There is no layer kind Conv9d');
});
