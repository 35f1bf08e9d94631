/** The journal: cut anywhere it reads, resumed it goes on, and its effective series are those of an uninterrupted run. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../engine/contract/events.ts';
import { Journal, journalName } from '../../engine/runs/journal.ts';
import { followJournal, parseJournal, readJournal } from '../../engine/runs/journal-reader.ts';
import { effectiveSeries } from './effective-series.ts';
import { epoch, resume, steps, temporaryFolder } from './runs-helpers.ts';

const events: RunEvent[] = [
  steps(1, [1, 2, 3]),
  epoch(1, 3, { val_loss: 'NaN' }),
  { type: 'advice', code: 'X', message: 'Umlaute: äöü, 漢字, "quoted"\nand a second line', time: '' },
  steps(2, [4, 5, 6]),
  epoch(2, 6),
];
const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
const bytes = Buffer.from(text);

test('lines that are no events are passed over', () => {
  const others = [
    '{"type":"steps"}',
    '{"type":"of another version"}',
    '[]',
    'null',
    '{"type":"end","status":"asleep"}',
  ];
  const mixed = text.split('\n').flatMap((line, i) => [others[i % others.length] as string, line]);
  expect(parseJournal(mixed.join('\n'))).toEqual(events);
});

describe('a journal cut at any byte', () => {
  test('reads: all lines before the cut, and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length }), (cut) => {
        const read = parseJournal(bytes.subarray(0, cut).toString('utf8'));
        const whole = bytes.subarray(0, cut).toString('latin1').split('\n').length - 1;
        expect(read.length - whole).toBeGreaterThanOrEqual(0); // the last line may be whole but for its end
        expect(read.length - whole).toBeLessThanOrEqual(1);
        expect(read).toEqual(events.slice(0, read.length));
      }),
      { numRuns: 300 },
    );
  });

  test('is gone on with: the cut line is closed, none of what follows is lost', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length }), (cut) => {
        const folder = temporaryFolder();
        writeFileSync(path.join(folder, journalName), bytes.subarray(0, cut));
        const before = parseJournal(bytes.subarray(0, cut).toString('utf8'));
        const journal = new Journal(folder);
        journal.add(resume(0));
        journal.add(steps(1, [1]));
        journal.sync();
        journal.close();
        const file = readFileSync(path.join(folder, journalName));
        expect(file.subarray(0, cut)).toEqual(bytes.subarray(0, cut)); // never truncated
        expect(parseJournal(file.toString('utf8'))).toEqual([...before, resume(0), steps(1, [1])]);
      }),
      { numRuns: 100 },
    );
  });

  test('with zeros where a block was never written, reads what is whole', () => {
    expect(parseJournal(`${text}\0\0\0\0\n${JSON.stringify(resume(3))}\n`)).toEqual([...events, resume(3)]);
  });
});

describe('effective series', () => {
  test('are those of the uninterrupted run; what lay beyond a resume is a ghost', () => {
    const killed = [
      steps(1, [1, 2, 3]),
      epoch(1, 3),
      steps(2, [4, 5], [90, 91]),
      resume(3),
      steps(2, [4, 5, 6]),
      epoch(2, 6, { train_loss: 7 }),
      resume(3),
      steps(2, [4]),
      steps(2, [5, 6]),
      epoch(2, 6),
    ];
    const straight = [steps(1, [1, 2, 3]), epoch(1, 3), steps(2, [4, 5, 6]), epoch(2, 6)];
    const { steps: columns, epochs, ghosts } = effectiveSeries(killed);
    const expected = effectiveSeries(straight);
    expect({ columns, epochs }).toEqual({ columns: expected.steps, epochs: expected.epochs });
    expect(ghosts.map(({ from_step, steps: { step }, epochs: lost }) => [from_step, step, lost.length])).toEqual([
      [3, [4, 5], 0],
      [3, [4, 5, 6], 1],
    ]);
    expect(ghosts[0]?.steps.train_loss).toEqual([90, 91]);
  });

  test('any sequence of kills gives the straight run', () => {
    const life = fc.record({ back: fc.integer({ min: 0, max: 4 }), further: fc.integer({ min: 1, max: 7 }) });
    fc.assert(
      fc.property(fc.array(life, { maxLength: 8 }), (lives) => {
        const perEpoch = 3;
        const journal: RunEvent[] = [];
        let at = 0;
        const run = (count: number) => {
          for (let i = 0; i < count; i += 1) {
            at += 1;
            const number = Math.ceil(at / perEpoch);
            journal.push(steps(number, [at]));
            if (at % perEpoch === 0) journal.push(epoch(number, at));
          }
        };
        run(5);
        for (const { back, further } of lives) {
          at = Math.max(0, at - back);
          journal.push(resume(at));
          run(further);
        }
        const straight: RunEvent[] = [];
        for (let step = 1; step <= at; step += 1) {
          straight.push(steps(Math.ceil(step / perEpoch), [step]));
          if (step % perEpoch === 0) straight.push(epoch(step / perEpoch, step));
        }
        const effective = effectiveSeries(journal);
        expect(effective.steps).toEqual(effectiveSeries(straight).steps);
        expect(effective.epochs).toEqual(effectiveSeries(straight).epochs);
      }),
    );
  });

  test('a column that starts late is NaN before, numbers as words are numbers again', () => {
    const late = { ...steps(1, [2]), grad_norm: ['Infinity'] } as RunEvent;
    expect(effectiveSeries([steps(1, [1]), late]).steps.grad_norm).toEqual([Number.NaN, Number.POSITIVE_INFINITY]);
  });
});

test('a run that was copied or moved tells the paths of now, also one that comes from another system', async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'project.json'), '{}');
  const time = '';
  const old = 'D:\\\\runs\\\\a'.replaceAll('\\\\', '\\');
  const lines = [
    { type: 'checkpoint', step: 1, epoch: 1, folder: `${old}\\checkpoints\\step-00000001`, roles: [], time },
    { type: 'end', status: 'failed', run: old, epoch: 1, step: 1, seconds: 1, time },
    { type: 'error', code: 'DISK_FULL', message: 'full', path: old, time },
    { type: 'error', code: 'NON_FINITE', message: 'x', path: 'training.seed', time },
  ];
  writeFileSync(path.join(folder, journalName), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const told = [
    { ...lines[0], folder: path.join(folder, 'checkpoints', 'step-00000001') },
    { ...lines[1], run: folder },
    { ...lines[2], path: folder },
    lines[3],
  ];
  expect(await readJournal(folder)).toEqual(told);
  const seen: RunEvent[] = [];
  await followJournal(folder, (event) => seen.push(event));
  expect(seen).toEqual(told);
});

describe('following', () => {
  test('tells what is there, then stops when no process holds the run', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'project.json'), '{}');
    writeFileSync(path.join(folder, journalName), `${text}{"type":"st`);
    const seen: RunEvent[] = [];
    await followJournal(folder, (event) => seen.push(event));
    expect(seen).toEqual(events);
    appendFileSync(path.join(folder, journalName), 'ate","status":"paused","time":""}\n');
    expect(await readJournal(folder)).toHaveLength(events.length + 1);
  });
});
