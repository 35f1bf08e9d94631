/** Run folders, the registry, and the endpoint of a live run. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import type { RunState } from '../../engine/contract/events.ts';
import { RunControl } from '../../engine/runs/control.ts';
import { createRun, findRun } from '../../engine/runs/folder.ts';
import { isLive, openEndpoint, sendAction } from '../../engine/runs/live.ts';
import { describeRun, listRuns, markDied, nextRunFolder } from '../../engine/runs/registry.ts';
import { type RunSummary, summaryName } from '../../engine/runs/summary.ts';
import { temporaryFolder } from './runs-helpers.ts';

/** Locks within this process only: what is tested here is what happens around the lock; test/faults has the real one. */
function locker() {
  const held = new Set<string>();
  return {
    lock(file: string) {
      if (held.has(file)) throw new GradloomError('RUN_LOCKED', 'locked');
      writeFileSync(file, '');
      held.add(file);
      return { release: () => held.delete(file) };
    },
  };
}

/** A socket as a killed process leaves it: it is there, and nobody listens. */
function deadSocket(address: string): void {
  const code = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', code, address]);
  expect(existsSync(address)).toBe(true);
}

function madeRun(folder: string, status: RunState = 'running', updated = '2026-01-01T00:00:00.000Z'): string {
  const summary: RunSummary = {
    version: 1,
    name: 'a',
    status,
    device: 'cpu',
    precision: 'fp32',
    epoch: 0,
    epochs: 1,
    step: 0,
    steps_per_epoch: 1,
    parameters: 1,
    seconds: 0,
    last: {},
    best: null,
    samples_per_second: null,
    started: updated,
    updated,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'project.json'), '{}');
  writeFileSync(path.join(folder, summaryName), JSON.stringify(summary));
  return folder;
}

describe('a new run folder', () => {
  test('undone leaves the disk as it was, folders above included', () => {
    const base = temporaryFolder();
    const run = createRun(path.join(base, 'a', 'b', 'run'), locker());
    writeFileSync(path.join(run.folder, 'project.json'), '{}');
    mkdirSync(path.join(run.folder, 'split'));
    run.undo();
    expect(readdirSync(base)).toEqual([]);
    mkdirSync(path.join(base, 'empty'));
    const second = createRun(path.join(base, 'empty'), locker());
    writeFileSync(path.join(second.folder, 'x'), '');
    second.undo();
    expect(readdirSync(base, { recursive: true })).toEqual(['empty']);
  });

  test('that is not empty is refused and untouched, what a killed start leaves is not in the way', () => {
    const base = temporaryFolder();
    const used = path.join(base, 'used');
    mkdirSync(used);
    writeFileSync(path.join(used, 'thesis.txt'), 'x');
    expect(() => createRun(used, locker())).toThrow(expect.objectContaining({ code: 'RUN_EXISTS' }));
    expect(readdirSync(used)).toEqual(['thesis.txt']);
    expect(() => createRun(path.join(used, 'thesis.txt'), locker())).toThrow(
      expect.objectContaining({ code: 'RUN_EXISTS' }),
    );
    const left = path.join(base, 'left');
    mkdirSync(left);
    writeFileSync(path.join(left, 'lock'), '');
    writeFileSync(path.join(left, 'project.json.7.tmp'), '{');
    expect(createRun(left, locker()).folder).toBe(left);
  });

  test('that another process is just making is refused, and theirs stands', () => {
    const base = temporaryFolder();
    const addon = locker();
    const theirs = createRun(path.join(base, 'run'), addon);
    expect(() => createRun(theirs.folder, addon)).toThrow(expect.objectContaining({ code: 'RUN_LOCKED' }));
    expect(existsSync(path.join(theirs.folder, 'lock'))).toBe(true);
  });

  test('inside another run is refused, at any depth and through a link; beneath some other program’s project.json it is not', () => {
    const base = temporaryFolder();
    const run = madeRun(path.join(base, 'run'));
    const refused = expect.objectContaining({ code: 'BAD_CALL', message: expect.stringContaining(run) });
    const inner = path.join(run, 'checkpoints', 'inner');
    expect(() => createRun(inner, locker())).toThrow(refused);
    symlinkSync(run, path.join(base, 'link'));
    expect(() => createRun(path.join(base, 'link', 'deep', 'inner'), locker())).toThrow(refused);
    expect(readdirSync(run)).toEqual(['project.json', summaryName]);
    writeFileSync(path.join(base, 'project.json'), '{}');
    expect(createRun(path.join(base, 'other'), locker()).folder).toBe(path.join(base, 'other'));
  });

  test('that cannot be made says so', () => {
    const base = temporaryFolder();
    writeFileSync(path.join(base, 'file'), '');
    expect(() => createRun(path.join(base, 'file', 'run'), locker())).toThrow(
      expect.objectContaining({ code: 'NOT_WRITABLE' }),
    );
    if (process.platform === 'linux') {
      expect(() => createRun('/proc/gradloom', locker())).toThrow(expect.objectContaining({ code: 'NOT_WRITABLE' }));
    }
  });
});

describe('the registry', () => {
  test('finds by name and by folder, lists the latest first, and knows a killed run', async () => {
    const home = temporaryFolder();
    madeRun(path.join(home, 'runs', 'a-001'), 'running', '2026-01-02');
    madeRun(path.join(home, 'runs', 'a-002'), 'completed', '2026-01-03');
    madeRun(path.join(home, 'runs', 'b-001'), 'parked', '2026-01-01');
    mkdirSync(path.join(home, 'runs', 'no run'));
    expect((await listRuns(home)).map(({ name, status }) => [name, status])).toEqual([
      ['a-002', 'completed'],
      ['a-001', 'interrupted'],
      ['b-001', 'parked'],
    ]);
    expect(await findRun('b-001', home)).toBe(path.join(home, 'runs', 'b-001'));
    expect(await findRun(path.join(home, 'runs', 'a-001'), home)).toBe(path.join(home, 'runs', 'a-001'));
    await expect(findRun('no run', home)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(findRun('', home)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('a summary that is damaged, or none of ours, counts as none', async () => {
    const folder = madeRun(path.join(temporaryFolder(), 'run'), 'completed');
    const text = readFileSync(path.join(folder, summaryName), 'utf8');
    for (const damaged of [
      text.slice(1),
      '[]',
      text.replace('"completed"', '"asleep"'),
      text.replace('"last":{}', '"last":{"val_loss":[]}'),
    ]) {
      writeFileSync(path.join(folder, summaryName), damaged);
      expect(await describeRun(folder)).toMatchObject({ status: 'interrupted', summary: null });
    }
  });

  test('names the next run by the highest number, in names that any system takes', async () => {
    const home = temporaryFolder();
    for (const name of ['a-001', 'a-009', 'a-b-030', 'a-x']) madeRun(path.join(home, 'runs', name));
    const name = async (project: string) => path.basename(await nextRunFolder(project, home));
    expect(await name('a')).toBe('a-010');
    expect(await name('Ziffern: äöü/..')).toBe('Ziffern-äöü-001');
    expect(await name('../..')).toBe('run-001');
    expect(await name('')).toBe('run-001');
  });

  test('a worker that died is noted, a run that goes on is left alone', async () => {
    const folder = madeRun(path.join(temporaryFolder(), 'run'));
    const error = new GradloomError('WORKER_DIED', 'killed', { hint: 'resume' });
    const endpoint = await openEndpoint(folder, new RunControl());
    await markDied(folder, error);
    expect((await describeRun(folder)).summary?.status).toBe('running');
    endpoint.hide();
    await endpoint.close();
    await markDied(folder, error);
    expect((await describeRun(folder)).summary).toMatchObject({
      status: 'interrupted',
      error: { code: 'WORKER_DIED', message: 'killed', hint: 'resume' },
    });
  });
});

describe('a live run', () => {
  test('takes actions and answers once they have taken effect', async () => {
    const folder = madeRun(path.join(temporaryFolder(), 'run'));
    const control = new RunControl();
    control.reached('running');
    const endpoint = await openEndpoint(folder, control);
    expect(await isLive(folder)).toBe(true);
    const paused = sendAction(folder, 'pause');
    await expect.poll(() => control.wish).toBe('pause');
    control.reached('paused');
    expect(await paused).toBe('paused');
    const stopped = sendAction(folder, 'stop');
    await expect.poll(() => control.wish).toBe('stop');
    endpoint.hide();
    control.reached('stopped', true);
    await endpoint.close();
    expect(await stopped).toBe('stopped');
    expect(await isLive(folder)).toBe(false);
    await expect(sendAction(folder, 'pause')).rejects.toMatchObject({ code: 'RUN_NOT_LIVE' });
  });

  test('has a copy that is not live, and a new name that is', async () => {
    const base = temporaryFolder();
    const folder = madeRun(path.join(base, 'run'));
    const endpoint = await openEndpoint(folder, new RunControl());
    cpSync(folder, path.join(base, 'copy'), { recursive: true });
    expect(await isLive(path.join(base, 'copy'))).toBe(false);
    await expect(sendAction(path.join(base, 'copy'), 'stop')).rejects.toMatchObject({ code: 'RUN_NOT_LIVE' });
    renameSync(folder, path.join(base, 'renamed'));
    expect(await isLive(path.join(base, 'renamed'))).toBe(true);
    endpoint.hide();
    await endpoint.close();
  });

  test('whose process was killed is not live, though live.json is there', async () => {
    const folder = madeRun(path.join(temporaryFolder(), 'run'));
    const endpoint = await openEndpoint(folder, new RunControl());
    const live = readFileSync(path.join(folder, 'live.json'), 'utf8');
    endpoint.hide();
    await endpoint.close();
    writeFileSync(path.join(folder, 'live.json'), live);
    const { endpoint: address } = JSON.parse(live);
    mkdirSync(path.dirname(address), { mode: 0o700 });
    deadSocket(address);
    expect(await isLive(folder)).toBe(false);
    expect(existsSync(path.dirname(address))).toBe(false); // nobody else would remove it
    await expect(sendAction(folder, 'continue')).rejects.toMatchObject({
      code: 'RUN_NOT_LIVE',
      hint: expect.stringContaining('Resume it'),
    });
    rmSync(path.join(folder, 'live.json'));
  });

  test.skipIf(process.platform === 'win32')('a live.json that names what is not ours removes nothing', async () => {
    const folder = madeRun(path.join(temporaryFolder(), 'run'));
    const elsewhere = temporaryFolder();
    const link = path.join(os.tmpdir(), `gradloom-${process.pid.toString(36).padStart(6, 'x')}`);
    symlinkSync(elsewhere, link);
    onTestFinished(() => rmSync(link));
    deadSocket(path.join(elsewhere, 'control'));
    mkdirSync(path.join(elsewhere, 'gradloom-abcdef'));
    deadSocket(path.join(elsewhere, 'gradloom-abcdef', 'control'));
    for (const endpoint of [
      path.join(link, 'control'),
      path.join(elsewhere, 'control'),
      path.join(elsewhere, 'gradloom-abcdef', 'control'),
    ]) {
      writeFileSync(path.join(folder, 'live.json'), JSON.stringify({ pid: 1, endpoint, started: '' }));
      expect(await isLive(folder)).toBe(false);
      expect(existsSync(endpoint)).toBe(true);
    }
  });

  test('answers nonsense with an error and lives on', async () => {
    const folder = madeRun(path.join(temporaryFolder(), 'run'));
    const endpoint = await openEndpoint(folder, new RunControl());
    const { endpoint: address } = JSON.parse(readFileSync(path.join(folder, 'live.json'), 'utf8'));
    const socket = net.connect(address);
    const answers: string[] = [];
    socket.setEncoding('utf8').on('data', (text: string) => answers.push(...text.trim().split('\n')));
    socket.write('{"action":"explode"}\nnot json\n');
    await expect.poll(() => answers.length).toBe(2);
    expect(answers.map((line) => JSON.parse(line))).toEqual(
      Array(2).fill({ ok: false, error: expect.objectContaining({ code: 'BAD_CALL' }) }),
    );
    socket.destroy();
    endpoint.hide();
    await endpoint.close();
  });
});
