/** The worker that reads data: answers several at once, tells how far it is, is cancelled, dies, and takes nothing else along. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AskKeeper } from '../../engine/asks/keeper.ts';
import { Room } from '../../engine/asks/room.ts';
import { GradloomError } from '../../engine/contract/errors.ts';
import { atWork, leftAtWork, noteWorkIn } from '../../engine/data/at-work.ts';
import { DataKeeper } from '../../engine/data/keeper.ts';
import { limitReach, reach } from '../../engine/data/reach.ts';
import { nodeProcesses, type WorkerProcess } from '../../engine/processes.ts';
import type { FromWorker, ToWorker } from '../../engine/runs/protocol.ts';
import { Service } from '../../engine/service.ts';
import { cliFile } from './cli-process.ts';
import { idxBytes } from './idx-writer.ts';

const workerEntry = path.join(path.dirname(cliFile), 'worker.js');
const home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-data-worker-'));
const workers: WorkerProcess[] = [];
const processes = {
  start(entry: string) {
    const worker = nodeProcesses.start(entry);
    workers.push(worker);
    return worker;
  },
};
let service: Service;
beforeAll(() => {
  vi.stubEnv('GRADLOOM_HOME', home);
  vi.stubEnv('GRADLOOM_CACHE', path.join(home, 'cache'));
  service = new Service({ processes, workerEntry });
});
afterAll(async () => {
  await service.close();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** Samples of `bytes` bytes each. */
function idxFolder(name: string, count: number, bytes: number): string {
  const folder = path.join(home, name);
  mkdirSync(folder);
  const images = Buffer.alloc(count * bytes);
  for (let i = 0; i < images.length; i += 97) images[i] = i & 255;
  writeFileSync(path.join(folder, 'train-images-idx2-ubyte'), Buffer.concat([idxBytes([count, bytes], []), images]));
  writeFileSync(path.join(folder, 'train-labels-idx1-ubyte'), idxBytes([count], Array(count).fill(0)));
  return folder;
}

describe('the worker', () => {
  test('is one for all that is asked, and tells how far an import is', async () => {
    const source = { kind: 'idx' as const, path: idxFolder('small', 50, 20) };
    const [looked, shown, pack] = await Promise.all([
      service.data.ask('inspect', { path: source.path }),
      service.data.ask('preview', {
        source,
        baseDir: '/',
        transforms: [],
        wanted: { part: 'train', start: 2, count: 1 },
      }),
      service.data.pack(source, '/'),
    ]);
    expect(workers).toHaveLength(1);
    expect(looked.found).toMatchObject([{ source, sure: 'certain', facts: { parts: { train: 50 } } }]);
    expect(shown.samples).toMatchObject([{ index: 2, target: 0 }]);
    expect(readFileSync(path.join(pack.folder, 'train.input.bin'))).toHaveLength(1000);
    expect(await service.data.ask('state', { source, baseDir: '/' })).toMatchObject({
      packed: true,
      bytes: expect.any(Number),
    });
    writeFileSync(path.join(source.path, 'train-labels-idx1-ubyte'), idxBytes([50], Array(50).fill(1)));
    const relative = { source: { ...source, path: 'small' }, baseDir: home };
    expect(await service.data.ask('state', relative)).toEqual({ packed: false, changed: true });
    await service.data.pack(source, '/');
    expect(readdirSync(path.dirname(pack.folder))).not.toContain(path.basename(pack.folder));
  });

  test('killed in mid-import is an error of that call; the service lives, and the next call works', async () => {
    const source = { kind: 'idx' as const, path: idxFolder('large', 4000, 50_000) };
    const told: number[] = [];
    const killed = service.data.pack(source, '/', {
      onProgress: ({ done, total }) => {
        told.push(done / total);
        workers.at(-1)?.kill();
      },
    });
    await expect(killed).rejects.toMatchObject({ code: 'WORKER_DIED', message: expect.stringContaining('SIGKILL') });
    expect(told.length).toBeGreaterThan(0);
    const before = workers.length;
    const pack = await service.data.pack(source, '/');
    expect(workers).toHaveLength(before + 1);
    expect(pack.facts.parts.train).toBe(4000);
    expect(readdirSync(path.join(home, 'cache', 'packs')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('a cancelled import ends, and the worker goes on', async () => {
    const source = { kind: 'idx' as const, path: idxFolder('other', 4000, 50_000) };
    const stop = new AbortController();
    const before = workers.length;
    const cancelled = service.data.pack(source, '/', { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    const packs = () => readdirSync(path.join(home, 'cache', 'packs'));
    await expect.poll(() => packs().filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await service.data.ask('inspect', { path: source.path });
    expect(workers).toHaveLength(before);
  });

  test('of a shell with a root reads nothing outside of it, whatever a source names', async () => {
    const limited = new Service({ processes, workerEntry, reach: { root: path.join(home, 'small'), also: [] } });
    // As a CSV file may name it, and as a link may lead there.
    symlinkSync(path.join(home, 'large'), path.join(home, 'small', 'out'));
    symlinkSync(path.join(home, 'small', 'train-labels-idx1-ubyte'), path.join(home, 'small', 'within'));
    const there = await limited.data.ask('inspect', { path: path.join(home, 'small') });
    expect(there.notes).toMatchObject([{ names: ['out'] }]);
    rmSync(path.join(home, 'small', 'within'));
    expect((await limited.data.ask('inspect', { path: path.join(home, 'small') })).found).toHaveLength(1);
    // Files that are little to read are described without the worker, but not where links may lead out.
    const linked = path.join(home, 'small', 'linked');
    mkdirSync(linked);
    const outside = path.join(home, 'large');
    for (const name of readdirSync(outside)) symlinkSync(path.join(outside, name), path.join(linked, name));
    const source = { kind: 'idx' as const, path: linked };
    await expect(limited.data.describe(source, '/')).rejects.toMatchObject({ code: 'DATA_MISSING' });
    expect((await service.data.describe(source, '/')).parts.train).toBeGreaterThan(0);
    rmSync(linked, { recursive: true });
    await limited.close();
    expect((await service.data.ask('inspect', { path: path.join(home, 'small') })).notes).toEqual([]);
    rmSync(path.join(home, 'small', 'out'));
    limitReach({ root: path.join(home, 'small'), also: [] });
    await expect(reach(path.join(home, 'large', 'x.png'))).rejects.toMatchObject({ code: 'NOT_READABLE' });
    expect(await reach(path.join(home, 'small', 'x.png'))).toBe(path.join(home, 'small', 'x.png'));
  });
});

describe('what was being read when it died', () => {
  test('is in a file that outlasts it', async () => {
    const folder = mkdtempSync(path.join(home, 'noted-'));
    const stop = noteWorkIn(folder);
    let seen: string[] = [];
    await atWork('/data/a.png', () =>
      atWork('/data/bé.png', async () => {
        seen = leftAtWork(folder);
      }),
    );
    expect(seen.sort()).toEqual(['/data/a.png', '/data/bé.png']);
    expect(leftAtWork(folder)).toEqual([]);
    await expect(atWork('/data/c.png', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(leftAtWork(folder)).toEqual([]);
    stop();
    await atWork('/data/d.png', async () => expect(leftAtWork(folder)).toEqual([]));
  });

  /** A service whose workers are told of by hand. */
  function byHand() {
    const talks: {
      folder: string;
      sent: ToWorker[];
      tell: (message: Extract<FromWorker, { type: 'told' | 'refused' | 'far' }>) => void;
      die: (error: Error) => void;
    }[] = [];
    const converse: Service['converse'] = (job, { onTold }) => {
      let die: (error: Error) => void = () => {};
      const ended = new Promise<null>((_, reject) => {
        die = reject;
      });
      const sent: ToWorker[] = [];
      talks.push({ folder: job.folder, sent, tell: (message) => onTold?.(message), die });
      return { send: (message) => void sent.push(message), ended };
    };
    return { talks, data: new DataKeeper({ converse }) };
  }

  const asked = (talk: { sent: ToWorker[] } | undefined) =>
    (talk?.sent ?? []).flatMap((message) => (message.type === 'ask' ? [message] : []));

  test('is named to whoever asked for it, and the others are asked again', async () => {
    const { talks, data } = byHand();
    const one = data.ask('inspect', { path: '/data/cats' });
    const other = data.ask('inspect', { path: '/data/dogs' });
    await expect.poll(() => talks.length).toBe(1);
    const stop = noteWorkIn(talks[0]?.folder as string);
    await atWork('/data/cats/7.png', async () => {
      talks[0]?.die(new GradloomError('WORKER_DIED', 'It ended by SIGSEGV'));
      await expect(one).rejects.toMatchObject({
        code: 'WORKER_DIED',
        message: 'It ended by SIGSEGV, while it was reading /data/cats/7.png',
        path: '/data/cats/7.png',
        hint: expect.stringContaining('Remove the file'),
      });
    });
    stop();
    await expect.poll(() => asked(talks[1]).map(({ args }) => args)).toEqual([{ path: '/data/dogs' }]);
    const answer = { path: '/data/dogs', found: [], notes: [] };
    talks[1]?.tell({ type: 'told', id: asked(talks[1])[0]?.id as number, value: answer });
    expect(await other).toEqual(answer);
    talks[1]?.die(new GradloomError('CLOSED', 'the end'));
  });

  test('an ask is not asked for ever: what dies twice is told', async () => {
    const { talks, data } = byHand();
    const one = data.ask('inspect', { path: '/data/cats' });
    const other = data.ask('inspect', { path: '/data/dogs' });
    const told = Promise.allSettled([one, other]);
    for (const life of [0, 1]) {
      await expect.poll(() => asked(talks[life]).length).toBeGreaterThan(0);
      const stop = noteWorkIn(talks[life]?.folder as string);
      await atWork('/data/cats/7.png', async () => {
        talks[life]?.die(new GradloomError('WORKER_DIED', 'It ended'));
        await expect
          .poll(() => readdirSync(os.tmpdir()).includes(path.basename(talks[life]?.folder as string)))
          .toBe(false);
      });
      stop();
    }
    expect((await told).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(talks).toHaveLength(2);
  });
});

test('a room answers several at once, and each progress to whoever asked', async () => {
  const told: FromWorker[] = [];
  let open = 0;
  let most = 0;
  const room = new Room(
    (message) => told.push(message),
    () => ({
      async answer(name, args, { onProgress }) {
        most = Math.max(most, ++open);
        onProgress({ stage: name, done: 0, total: 1 });
        await new Promise((done) => setImmediate(done));
        open -= 1;
        return args;
      },
      close: async () => {},
    }),
    2,
  );
  for (const id of [1, 2, 3]) room.ask({ type: 'ask', id, name: `ask ${id}`, args: id * 10 });
  await room.run(mkdtempSync(path.join(home, 'room-')), new AbortController().signal, 10);
  expect(most).toBe(2);
  expect(told.filter(({ type }) => type === 'told').map((message) => 'value' in message && message.value)).toEqual([
    10, 20, 30,
  ]);
  expect(told.filter(({ type }) => type === 'far')).toHaveLength(3);
});

test('an ask that nobody waits for and that does not end takes its worker along, after a while', async () => {
  const sent: ToWorker[] = [];
  let ended = 0;
  const converse: Service['converse'] = (_job, { signal }) => {
    signal?.addEventListener('abort', () => ended++);
    return { send: (message) => void sent.push(message), ended: new Promise<null>(() => {}) };
  };
  const keeper = new AskKeeper<{ wait(args: object): Promise<number> }>({ converse }, { room: 'data', graceMs: 20 });
  const stop = new AbortController();
  const gone = keeper.ask('wait', {}, { signal: stop.signal });
  const stays = keeper.ask('wait', { stays: true });
  stop.abort();
  await expect(gone).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(sent.at(-1)).toMatchObject({ type: 'forget' });
  await expect.poll(() => ended).toBe(1);
  await expect.poll(() => sent.at(-1)).toMatchObject({ type: 'ask', args: { stays: true } });
  void stays;
});
