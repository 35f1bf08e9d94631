/** The log for people: what each event says there, and that nothing in a text can forge a line or steer a terminal. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { appendLog, logLines } from '../../engine/runs/log.ts';
import { epoch, resume, steps, temporaryFolder } from './runs-helpers.ts';

const time = '2026-01-01T00:00:00.000Z';
const run = { epochs: 10 };

test.each<[RunEvent, string[]]>([
  [
    {
      type: 'start',
      run: '/runs/a',
      name: 'digits',
      device: 'cpu',
      precision: 'fp32',
      precision_reason: 'this version trains in fp32 only',
      seed: 7,
      epochs: 10,
      steps_per_epoch: 1,
      train_samples: 8000,
      val_samples: 2000,
      parameters: 235146,
      versions: { gradloom: '0.1.0', libtorch: '2.15.0' },
      time,
    },
    [
      'Training digits on cpu, fp32 (this version trains in fp32 only), seed 7',
      '235,146 parameters, 8,000 training samples, validation on 2,000, 10 epochs of 1 step',
      'gradloom 0.1.0, libtorch 2.15.0',
    ],
  ],
  [steps(1, [1, 2]), []],
  [{ type: 'progress', stage: 'packing the data', done: 1, total: 2, time }, []],
  [
    epoch(2, 64, { val_loss: 'NaN', val_accuracy: 0.5, train_accuracy: 0.25 }),
    ['epoch  2/10  loss 0.5000  accuracy 25.00 %  val loss NaN  val accuracy 50.00 %  100 samples/s  1.0 s'],
  ],
  [
    epoch(3, 96, { breakdown: { data: 0.12, forward: 0.5, backward: 0.38 }, data_wait: 0.12 }),
    ['epoch  3/10  loss 0.3333  100 samples/s  1.0 s  waited for data 12 %'],
  ],
  [
    epoch(4, 128, { breakdown: { data: 0.01, forward: 0.99 }, data_wait: 0.01 }),
    ['epoch  4/10  loss 0.2500  100 samples/s  1.0 s'],
  ],
  [resume(1200), ['Goes on from step 1,200.']],
  [{ type: 'state', status: 'paused', time }, ['Now paused.']],
  [
    {
      type: 'checkpoint',
      step: 32,
      epoch: 1,
      folder: path.join('/runs', 'a', 'checkpoints', 'step-00000032'),
      roles: ['last', 'best'],
      time,
    },
    ['Saved step-00000032 (last, best).'],
  ],
  [
    { type: 'advice', code: 'SMALL_BATCH', message: 'The last batch is small', hint: 'Drop it.', time },
    ['Note: The last batch is small', '  Next: Drop it.'],
  ],
  [
    { type: 'error', code: 'NON_FINITE', message: 'The loss became NaN', hint: 'Clip.', path: '3', time },
    ['Error NON_FINITE: The loss became NaN', '  Where: 3', '  Next: Clip.'],
  ],
  [
    { type: 'end', status: 'interrupted', run: '/runs/a', epoch: 3, step: 70, seconds: 4, time },
    ['Interrupted in epoch 3, after step 70; everything is saved, it can be resumed.'],
  ],
])('%o', (event, lines) => {
  expect(logLines(event, run)).toEqual(lines);
});

test('an interrupted run says why', () => {
  const end: RunEvent = { type: 'end', status: 'interrupted', run: '/a', epoch: 1, step: 1, seconds: 1, time };
  expect(logLines(end, { ...run, reason: 'SIGTERM' }).at(-1)).toBe('  Reason: SIGTERM');
});

test('every line carries the time, whatever a text holds', () => {
  const folder = temporaryFolder();
  appendLog(folder, ['one\ntwo\r\nthree\rfour', '\u001b[31mred\u001b[0m'], time);
  appendLog(folder, [], time);
  const text = ['one', 'two', 'three', 'four', 'red'].map((line) => `${time}  ${line}\n`).join('');
  expect(readFileSync(path.join(folder, 'log.txt'), 'utf8')).toBe(text);
});
