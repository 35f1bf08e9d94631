/** Pure parts of the window's state: ways of files, estimates, kinds of rows, places. */
import { describe, expect, test, vi } from 'vitest';
import type { RunRow } from '../../../engine/contract/api.ts';
import { epochEstimate, speedHere } from '../../../engine/contract/epoch-times.ts';
import { optimizers } from '../../../engine/contract/optimizers.ts';
import { withKind } from '../../../renderer/project-parts/row-kind.ts';

vi.mock('../../../renderer/client/client.ts', () => ({ engine: {}, connection: {}, keepAsking: async () => {} }));
const { folderOf, relativeTo } = await import('../../../renderer/state/files.ts');

describe('ways of files', () => {
  test.each([
    ['/w/a/projects/p.json', '/w/a/data/digits', '../data/digits'],
    ['/w/a/projects/p.json', '/w/a/projects/digits', 'digits'],
    ['/w/a/projects/p.json', '/w/a/projects', '.'],
    ['/w/a/projects/p.json', '/mnt/data', '/mnt/data'],
    ['/a/b/c/d/e/p.json', '/a/data', '/a/data'],
    ['C:\\w\\a\\projects\\p.json', 'C:\\w\\a\\data', '../data'],
    ['C:\\w\\a\\projects\\p.json', 'D:\\data', 'D:\\data'],
  ])('from %s to %s: %s', (file, target, way) => expect(relativeTo(file, target)).toBe(way));

  test('the folder of a file', () => {
    expect(folderOf('/a/b')).toBe('/a');
    expect(folderOf('/a')).toBe('/');
    expect(folderOf('C:\\a\\b')).toBe('C:\\a');
  });
});

describe('the time of an epoch', () => {
  const run = (name: string, summary: object | null): RunRow =>
    ({ name, folder: `/runs/${name}`, status: 'completed', summary, notes: '' }) as RunRow;
  const rate = (samples_per_second: number | null, more: object = {}) => ({
    parameters: 10,
    device: 'cpu',
    samples_per_second,
    ...more,
  });
  const wanted = { project: 'a', parameters: 10, samples: 1000, device: 'cpu' };

  test('comes from the latest run of this project', () => {
    const of = (name: string) => ({ name });
    const runs = [
      run('my-net-001', rate(50, of('other'))),
      run('renamed', rate(100, of('my net'))),
      run('my-net-002', rate(10, of('my net'))),
    ];
    expect(epochEstimate(runs, { ...wanted, project: 'my net' })).toEqual({ seconds: 10, run: 'renamed' });
  });

  test('else of another with the same network; never of another device, size, or without a rate', () => {
    expect(epochEstimate([run('b-001', rate(50))], wanted)?.run).toBe('b-001');
    const others = [
      run('a-5', rate(50, { parameters: 11 })),
      run('a-4', rate(50, { device: 'cuda:0' })),
      run('a-3', rate(null)),
      run('a-2', rate(0)),
      run('a-1', null),
    ];
    expect(epochEstimate(others, wanted)).toBeNull();
    expect(epochEstimate(others, { ...wanted, device: null })?.run).toBe('a-4');
    expect(epochEstimate([run('a-1', rate(50))], { ...wanted, samples: 0 })).toBeNull();
  });
});

test('other templates tell how fast this computer is, on the device of the latest run', () => {
  const run = (name: string, device: string, parameters: number, samples_per_second: number): RunRow =>
    ({ name, summary: { parameters, device, samples_per_second } }) as RunRow;
  const expected = (project: string, parameters: number, seconds: number) => ({
    wanted: { project, parameters, samples: 1000, device: null },
    seconds,
  });
  const templates = [expected('a', 10, 5), expected('b', 20, 40), expected('c', 30, 9)];
  // a takes 10 s where 5 were expected, b 20 s where 40 were: twice as long, and half.
  const runs = [run('a-001', 'cpu', 10, 100), run('b-001', 'cpu', 20, 50), run('c-001', 'cuda:0', 30, 9999)];
  expect(speedHere(runs, templates)).toBeCloseTo(1);
  expect(speedHere(runs.slice(0, 1), templates)).toBeCloseTo(2);
  expect(speedHere(runs.toReversed(), templates)).toBeLessThan(0.1);
  expect(speedHere([run('x-001', 'cpu', 77, 100)], templates)).toBeNull();
  expect(speedHere([], templates)).toBeNull();
});

test('another row keeps the parameters that it knows and takes', () => {
  const sgd = optimizers.get('SGD');
  if (!sgd) throw new Error('no SGD');
  expect(withKind({ kind: 'Adam', lr: 0.1, betas: [0.9, 0.9], weight_decay: -1, maximize: true }, sgd)).toEqual({
    kind: 'SGD',
    lr: 0.1,
    maximize: true,
  });
  expect(withKind('nonsense', sgd)).toEqual({ kind: 'SGD' });
});
