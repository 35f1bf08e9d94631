/** Runs side by side as rows, and which runs a filter shows. @vitest-environment jsdom */
import { expect, test, vi } from 'vitest';
import type { RunRow } from '../../../engine/contract/api.ts';
import type { RunDetails } from '../../../engine/contract/wire.ts';
import { comparedResults, comparedSettings } from '../../../renderer/runs/comparison.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { filterRuns } = await import('../../../renderer/runs/run-filter.ts');

function run(name: string, more: Partial<RunRow> & { last?: Record<string, number>; device?: string } = {}): RunRow {
  const { last = { val_loss: 1 }, device = 'cpu', ...row } = more;
  const summary = {
    name: 'mlp',
    device,
    precision: 'fp32',
    epoch: 1,
    step: 1,
    parameters: 9,
    seconds: 1,
    last,
    best: null,
  };
  return { name, folder: `/runs/${name}`, status: 'completed', notes: '', summary, ...row } as unknown as RunRow;
}

test('results mark the best, and say where a run has none', () => {
  const rows = comparedResults([
    run('a', { last: { val_loss: 0.5 } }),
    run('b', { last: { val_loss: 0.25, val_accuracy: 0.9 } }),
  ]);
  expect(rows.find(({ key }) => key === 'val_loss')).toMatchObject({
    values: ['0.5000', '0.2500'],
    best: 1,
    differs: true,
  });
  expect(rows.find(({ key }) => key === 'val_accuracy')).toMatchObject({ values: [null, '90.00 %'], best: null });
  expect(rows.find(({ key }) => key === 'device')).toMatchObject({ values: ['cpu', 'cpu'], differs: false });
});

test('settings of a damaged project leave its column empty', () => {
  const rows = comparedSettings([{ project: '{"gradloom": 1}' } as RunDetails, { project: '{' } as RunDetails, null]);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.every(({ values }) => values[0] !== null && values[1] === null && values[2] === null)).toBe(true);
});

test('settings that were changed while a run went on tell both', () => {
  const project = JSON.stringify({ gradloom: 1, training: { epochs: 20, optimizer: { kind: 'SGD', lr: 0.1 } } });
  const [plain, changed] = [run('a'), run('b')];
  const changes = [
    { step: 30, epoch: 2, lr: 0.01 },
    { step: 40, epoch: 2, epochs: 12 },
    { step: 1500, epoch: 9, lr: 0.001 },
  ];
  const summary = { ...changed.summary, changes } as NonNullable<RunRow['summary']>;
  const details = { project } as RunDetails;
  const rows = comparedSettings([details, details], [plain, { ...changed, summary }]);
  expect(rows.filter(({ differs }) => differs).map(({ label, values }) => [label, ...values])).toEqual([
    ['Learning rate', '0.1', '0.1, changed to 0.01 at step 30, changed to 0.001 at step 1,500'],
    ['Epochs', '20', '20, changed to 12 at step 40'],
  ]);
});

test('a filter finds every word somewhere, and states', () => {
  const runs = [
    run('digits-001', { notes: 'larger steps' }),
    run('digits-002', { status: 'running', device: 'cuda:0' }),
    run('other', { status: 'failed', summary: null }),
  ];
  const names = (text: string, states: Parameters<typeof filterRuns>[1]['states'] = 'all') =>
    filterRuns(runs, { text, states }).map(({ name }) => name);
  expect(names('')).toHaveLength(3);
  expect(names('DIGITS larger')).toEqual(['digits-001']);
  expect(names('cuda')).toEqual(['digits-002']);
  expect(names('digits cuda larger')).toEqual([]);
  expect(names('', 'live')).toEqual(['digits-002']);
  expect(names('', 'failed')).toEqual(['other']);
});
