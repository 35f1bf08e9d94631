/** Checkpoints: a fault at any moment leaves an earlier one whole, damage is found, and no folder goes before the index lets it. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Checkpoints } from '../../engine/runs/checkpoints.ts';
import type { TrainingState } from '../../engine/runs/training-state.ts';
import { temporaryFolder } from './runs-helpers.ts';

function stateAt(step: number, more: Partial<TrainingState> = {}): TrainingState {
  return {
    version: 1,
    step,
    epoch: step + 1,
    batch: 0,
    samples_into_epoch: 0,
    sums: { loss: 0.1 + 0.2, metrics: {}, counts: {}, train_seconds: 0, seconds: 0, breakdown: {} },
    seconds: 1,
    last: { val_loss: 'NaN' },
    best: null,
    schedule: null,
    scaler: null,
    ema: null,
    early_stopping: null,
    loader: { batch_size: 2, shuffle: true, drop_last: false }, // as older versions kept it
    tuner: null,
    data_hash: 'd',
    split_hash: 's',
    ...more,
  };
}

/** A safetensors file with one float tensor. */
function tensorFile(value: number): Buffer {
  const header = Buffer.from(JSON.stringify({ w: { dtype: 'F32', shape: [4], data_offsets: [0, 16] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const data = Buffer.alloc(16);
  for (let i = 0; i < 4; i += 1) data.writeFloatLE(value + i, i * 4);
  return Buffer.concat([length, header, data]);
}

const files = ['model.safetensors', 'optimizer.safetensors', 'rng.safetensors'];

const write = (value: number) => async (folder: string) => {
  for (const name of files) writeFileSync(path.join(folder, name), tensorFile(value));
};

async function saved(folder: string, stepsDone: number[], keep = 2): Promise<Checkpoints> {
  const checkpoints = new Checkpoints(folder, keep);
  for (const step of stepsDone) await checkpoints.save(stateAt(step), { scheduled: true }, write(step));
  return checkpoints;
}

const names = (folder: string) => readdirSync(path.join(folder, 'checkpoints')).sort();

describe('saving', () => {
  test('gives back exactly what was saved, from a fresh look at the disk', async () => {
    const folder = temporaryFolder();
    await saved(folder, [3]);
    const { state, folder: where } = await new Checkpoints(folder, 2).loadModel('last');
    expect(state).toEqual(stateAt(3));
    expect(readFileSync(path.join(where, 'model.safetensors'))).toEqual(tensorFile(3));
  });

  test('keeps the newest, the best, and no more', async () => {
    const folder = temporaryFolder();
    const checkpoints = new Checkpoints(folder, 2);
    for (let step = 1; step <= 6; step += 1)
      await checkpoints.save(stateAt(step), { best: step === 2, scheduled: true }, write(step));
    expect(names(folder)).toEqual(['index.json', 'step-00000002', 'step-00000005', 'step-00000006']);
    expect((await checkpoints.loadModel('best')).state.step).toBe(2);
    expect((await checkpoints.loadModel(5)).state.step).toBe(5);
    await expect(checkpoints.loadModel(4)).rejects.toMatchObject({ code: 'CHECKPOINT_MISSING' });
  });

  test('in mid-epoch takes the place of no epoch’s end', async () => {
    const folder = temporaryFolder();
    const checkpoints = await saved(folder, [1, 2]);
    for (const step of [3, 4]) await checkpoints.save(stateAt(step, { batch: 1 }), {}, write(step));
    expect(names(folder)).toEqual(['index.json', 'step-00000001', 'step-00000002', 'step-00000004']);
  });

  test('a second one at the same step gets its own folder', async () => {
    const folder = temporaryFolder();
    const checkpoints = new Checkpoints(folder, 2);
    await checkpoints.save(stateAt(4, { batch: 2, epoch: 1 }), {}, write(1));
    await checkpoints.save(stateAt(4, { epoch: 2 }), { scheduled: true }, write(1));
    expect((await new Checkpoints(folder, 2).loadModel('last')).state.epoch).toBe(2);
  });

  test.each(['ENOSPC', 'EDQUOT'])(
    '%s in the middle: said as DISK_FULL, the earlier ones stand, nothing is left over',
    async (code) => {
      const folder = temporaryFolder();
      const checkpoints = await saved(folder, [1, 2]);
      const before = names(folder);
      const failing = async (to: string) => {
        writeFileSync(path.join(to, 'model.safetensors'), 'half');
        throw Object.assign(new Error('no space left'), { code });
      };
      await expect(checkpoints.save(stateAt(3), { best: true, scheduled: true }, failing)).rejects.toMatchObject({
        code: 'DISK_FULL',
      });
      expect(names(folder)).toEqual(before);
      expect((await new Checkpoints(folder, 2).loadModel('last')).state.step).toBe(2);
      await checkpoints.save(stateAt(3), { best: true, scheduled: true }, write(3)); // space again: it goes on
      expect((await checkpoints.loadModel('best')).state.step).toBe(3);
    },
  );

  test('files that do not read back whole are not accepted', async () => {
    const folder = temporaryFolder();
    const checkpoints = await saved(folder, [1]);
    const short = async (to: string) => {
      for (const name of files) writeFileSync(path.join(to, name), tensorFile(2).subarray(0, -1));
    };
    await expect(checkpoints.save(stateAt(2), { scheduled: true }, short)).rejects.toMatchObject({
      code: 'CHECKPOINT_DAMAGED',
    });
    expect(names(folder)).toEqual(['index.json', 'step-00000001']);
  });
});

describe('a damaged checkpoint', () => {
  test('any flipped bit or cut in any of its files is found; the previous one is used, and said', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files, 'state.json'),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.constantFrom('flip', 'cut', 'remove'),
        async (name, where, how) => {
          const folder = temporaryFolder();
          await saved(folder, [1, 2]);
          const file = path.join(folder, 'checkpoints', 'step-00000002', name);
          const bytes = readFileSync(file);
          const at = Math.floor(where * bytes.length);
          if (how === 'flip') bytes[at] = (bytes[at] as number) ^ 1;
          if (how === 'remove') rmSync(file);
          else writeFileSync(file, how === 'cut' ? bytes.subarray(0, at) : bytes);
          const checkpoints = new Checkpoints(folder, 2);
          // Who wants the model only need not care for the others.
          const asModel = checkpoints.loadModel('last').then(
            () => 'whole',
            ({ code }) => code,
          );
          expect(await asModel).toBe(/model|state/.test(name) ? 'CHECKPOINT_DAMAGED' : 'whole');
          const { found, damaged } = await checkpoints.newestWhole();
          expect(found?.state.step).toBe(1);
          expect(damaged.map(({ message }) => message)).toEqual([expect.stringContaining('step-00000002')]);
          expect(names(folder)).toEqual(['damaged-step-00000002', 'index.json', 'step-00000001']);
          expect((await new Checkpoints(folder, 2).loadModel('last')).state.step).toBe(1);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('that was the best: the best of the one gone back to is best again', async () => {
    const folder = temporaryFolder();
    const checkpoints = new Checkpoints(folder, 2);
    const best = (step: number) => ({ best: { monitor: 'val_loss', value: 1, epoch: step, step } });
    await checkpoints.save(stateAt(1, best(1)), { best: true, scheduled: true }, write(1));
    await checkpoints.save(stateAt(2, best(2)), { best: true, scheduled: true }, write(2));
    rmSync(path.join(folder, 'checkpoints', 'step-00000002', 'model.safetensors'));
    const { found } = await new Checkpoints(folder, 2).newestWhole();
    expect(found?.state.best?.step).toBe(1);
    expect((await new Checkpoints(folder, 2).loadModel('best')).state.step).toBe(1);
  });

  test('all damaged: none is found', async () => {
    const folder = temporaryFolder();
    await saved(folder, [1, 2]);
    for (const name of ['step-00000001', 'step-00000002']) rmSync(path.join(folder, 'checkpoints', name, 'state.json'));
    const { found, damaged } = await new Checkpoints(folder, 2).newestWhole();
    expect([found, damaged.length]).toEqual([null, 2]);
  });
});

describe('the index', () => {
  test.each(['missing', 'cut', 'not ours'])('%s: made anew from the folders', async (how) => {
    const folder = temporaryFolder();
    await saved(folder, [1, 2]);
    const file = path.join(folder, 'checkpoints', 'index.json');
    if (how === 'missing') rmSync(file);
    else writeFileSync(file, how === 'cut' ? readFileSync(file, 'utf8').slice(0, 40) : '[]');
    const { found } = await new Checkpoints(folder, 2).newestWhole();
    expect(found?.state.step).toBe(2);
  });

  test('made anew, a snapshot is still one, and stays', async () => {
    const folder = temporaryFolder();
    const checkpoints = await saved(folder, [1]);
    await checkpoints.save(stateAt(2, { batch: 1 }), { snapshot: true }, write(2));
    rmSync(path.join(folder, 'checkpoints', 'index.json'));
    const again = await saved(folder, [3, 4, 5]);
    const kept = again.entries.map((entry) => `${entry.step} ${again.rolesOf(entry).join('+')}`);
    expect(kept).toEqual(['2 snapshot', '4 ', '5 last']);
  });

  test('whose `last` points nowhere: the newest whole one', async () => {
    const folder = temporaryFolder();
    await saved(folder, [1, 2, 3], 3);
    const base = path.join(folder, 'checkpoints');
    const index = JSON.parse(readFileSync(path.join(base, 'index.json'), 'utf8'));
    writeFileSync(path.join(base, 'index.json'), JSON.stringify({ ...index, last: 'step-00000009' }));
    expect((await new Checkpoints(folder, 3).loadModel('last')).state.step).toBe(3);
    writeFileSync(path.join(base, 'index.json'), JSON.stringify({ ...index, best: 'step-00000003' }));
    rmSync(path.join(base, 'step-00000003'), { recursive: true });
    rmSync(path.join(base, 'step-00000002', 'model.safetensors'));
    const checkpoints = new Checkpoints(folder, 3);
    expect((await checkpoints.loadModel('last')).state.step).toBe(1);
    expect(checkpoints.hasBest).toBe(false);
  });

  test('leftovers of killed saves are removed, all that is named stays', async () => {
    const folder = temporaryFolder();
    const checkpoints = await saved(folder, [1, 2]);
    const base = path.join(folder, 'checkpoints');
    mkdirSync(path.join(base, '.tmp-step-00000003'));
    // Renamed, but killed before the index named it.
    cpSync(path.join(base, 'step-00000002'), path.join(base, 'step-00000002.2'), { recursive: true });
    writeFileSync(path.join(base, 'index.json.99.tmp'), '{');
    checkpoints.removeLeftovers();
    expect(names(folder)).toEqual(['index.json', 'step-00000001', 'step-00000002']);
  });

  test('what somebody else has put beside them stays, and is no checkpoint', async () => {
    const folder = temporaryFolder();
    await saved(folder, [1, 2]);
    const base = path.join(folder, 'checkpoints');
    const whole = path.join(base, 'step-00000002');
    for (const name of ['step-00000006-copy', 'best one', '.tmp-mine', 'step-00000007'])
      cpSync(whole, path.join(base, name), { recursive: true }); // the last one says it is of step 2
    cpSync(whole, path.join(base, 'step-00000002.9'), { recursive: true });
    writeFileSync(path.join(base, 'step-00000002.9', 'note'), 'mine');
    mkdirSync(path.join(base, 'step-00000003'));
    mkdirSync(path.join(base, 'inner', 'checkpoints'), { recursive: true });
    writeFileSync(path.join(base, 'notes.tmp'), '');
    const before = names(folder);
    new Checkpoints(folder, 2).removeLeftovers();
    expect(names(folder)).toEqual(before);
    rmSync(path.join(base, 'step-00000007'), { recursive: true });
    rmSync(path.join(base, 'step-00000002.9'), { recursive: true });
    rmSync(path.join(base, 'index.json'));
    expect(new Checkpoints(folder, 2).entries.map((entry) => entry.folder)).toEqual(['step-00000001', 'step-00000002']);
  });
});
