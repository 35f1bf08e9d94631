/** What people read of a run: from events to text. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Output } from '../../engine/cli/output.ts';
import { RunView } from '../../engine/cli/run-view.ts';
import type { RunEvent } from '../../engine/contract/events.ts';
import { bytes, dims, integer, loss, metric, percent, seconds, table } from '../../engine/format.ts';

let written = '';
beforeEach(() => {
  written = '';
  const write = (text: unknown) => {
    written += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const time = '2026-01-01T00:00:00.000Z';
const start: RunEvent = {
  type: 'start',
  run: '/runs/a',
  name: 'a',
  device: 'cpu',
  precision: 'fp32',
  seed: 1,
  epochs: 3,
  steps_per_epoch: 4,
  train_samples: 1000,
  val_samples: 0,
  parameters: 1,
  versions: {},
  time,
};
const epoch = (number: number, values: object): RunEvent => ({
  type: 'epoch',
  epoch: number,
  step: 4 * number,
  train_loss: 0.5,
  lr: 0.1,
  seconds: 2,
  samples_per_second: 500,
  breakdown: {},
  memory: { allocated: 0, reserved: 0, peak: 0, rss: 0 },
  time,
  ...values,
});
const end = (status: 'completed' | 'failed' | 'parked'): RunEvent => ({
  type: 'end',
  status,
  run: '/runs/a',
  epoch: 2,
  step: 8,
  seconds: 4,
  time,
});

function shown(...events: RunEvent[]): string[] {
  const view = new RunView(new Output(false));
  for (const event of events) view.show(event);
  return written.split('\n');
}

test('without validation and without classes', () => {
  expect(shown(start, epoch(1, {}), epoch(2, { train_loss: 'NaN' }), end('completed'))).toEqual([
    'a on cpu, fp32',
    '1 parameter, 1,000 training samples, 3 epochs of 4 steps',
    'epoch 1/3  loss 0.5000  500 samples/s  2.0 s',
    'epoch 2/3  loss NaN  500 samples/s  2.0 s',
    'Done after 2 epochs, step 8.',
    'Learned: loss NaN on 1,000 training samples.',
    'Speed:   500 samples/s on cpu, 4.0 s.',
    'Run:     /runs/a',
    '',
  ]);
});

test('the best checkpoint is what was learned', () => {
  const measured = { val_loss: 0.25, val_accuracy: 0.9312, train_accuracy: 1 };
  const checkpoint: RunEvent = { type: 'checkpoint', step: 4, epoch: 1, folder: '/f', roles: ['last', 'best'], time };
  const lines = shown(
    { ...start, val_samples: 200 } as RunEvent,
    epoch(1, measured),
    checkpoint,
    epoch(2, { ...measured, val_loss: 0.5 }),
    end('parked'),
  );
  expect(lines).toContain(
    'epoch 1/3  loss 0.5000  accuracy 100.00 %  val loss 0.2500  val accuracy 93.12 %  500 samples/s  2.0 s',
  );
  expect(lines).toContain('Learned: 93.12 % of 200 validation samples right, loss 0.2500, best at epoch 1.');
  expect(lines).toContain('Parked in epoch 2, after step 8; go on with `gradloom resume /runs/a`.');
});

test('an error says what to do; an end without a start says that nothing was left', () => {
  expect(
    shown(
      { type: 'error', code: 'DISK_FULL', message: 'Full.', hint: 'Free\nsome.', path: '/x', time },
      end('failed'),
    ).slice(0, 4),
  ).toEqual(['Error: Full.', '  Where: /x', '  Next:  Free', '         some.']);
  expect(shown(end('completed'))).toContain('Nothing was left to do after 2 epochs, step 8; --epochs extends the run.');
});

test('commands stand beside what the window shows without them', () => {
  const notFinite = {
    type: 'error',
    code: 'NON_FINITE',
    message: 'The loss became NaN',
    hint: 'Try less.',
    time,
  } as const;
  const early = { type: 'advice', code: 'EARLY_STOPPED', message: 'Stopped early', time } as const;
  const lines = shown(start, early, notFinite);
  expect(lines.join('\n')).toContain('Note: Stopped early\n      gradloom resume /runs/a --epochs N\n');
  expect(lines.slice(-3)).toEqual(['  Next:  Try less.', '  More:  gradloom autopsy /runs/a', '']);
});

test('with --json nothing but objects goes to standard output', () => {
  const out = new Output(true);
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  out.say('text');
  out.live('text');
  out.error({ code: 'BAD_CALL', message: 'No.' });
  out.object({ type: 'x' });
  expect(stdout.mock.calls.map(([text]) => text)).toEqual([
    '{"type":"error","code":"BAD_CALL","message":"No."}\n',
    '{"type":"x"}\n',
  ]);
  expect(written).toBe('text\nError: No.\n');
});

test('numbers', () => {
  expect([integer(1234567.8), loss(0.12345), loss(123456), loss('Infinity'), percent(0.9312), percent('NaN')]).toEqual([
    '1,234,568',
    '0.1235',
    '123460',
    'Infinity',
    '93.12 %',
    'NaN',
  ]);
  expect([bytes(512), bytes(1024), bytes(3 * 2 ** 30)]).toEqual(['512 B', '1.0 KiB', '3.0 GiB']);
  expect([seconds(0.04), seconds(42), seconds(150), seconds(7322)]).toEqual(['0.0 s', '42 s', '2:30 min', '2:02:02 h']);
  expect([dims([]), dims([1, 28, 28]), metric('val_accuracy', 0.5), metric('val_loss', 0.5), metric('x', 12)]).toEqual([
    'scalar',
    '1×28×28',
    '50.00 %',
    '0.5000',
    '12.0000',
  ]);
  expect(table([['a', 'b'], ['long', '1']], [1])).toBe('a     b\nlong  1'); // biome-ignore format: a table
});
