/** Live runs at the command line: steered from outside, ended by signals, read by pipes and terminals. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cliFile, gradloom, type Line, quickProject, start } from '../engine/cli-process.ts';

const home = mkdtempSync(join(tmpdir(), 'gradloom-cli-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('live runs', () => {
  const long = () => quickProject(home, 'long', 100_000, 4000);
  const begin = async (name: string) => {
    const folder = join(home, name);
    const live = start(home, ['train', long(), '--run', folder, '--json']);
    await live.until(({ type }) => type === 'epoch');
    return { folder, live };
  };
  const steer = async (action: string, folder: string) => (await gradloom(home, [action, folder, '--json'])).lines;

  test('pause, continue, stop from another process; watch follows to the end', async () => {
    const { folder, live } = await begin('steered');
    const watcher = start(home, ['watch', folder, '--json']);
    expect(await steer('pause', folder)).toEqual([{ type: 'action', action: 'pause', run: folder, status: 'paused' }]);
    expect(await steer('continue', folder)).toEqual([
      { type: 'action', action: 'continue', run: folder, status: 'running' },
    ]);
    const taken = await gradloom(home, ['resume', folder, '--json']);
    expect(taken).toMatchObject({ code: 2, lines: [{ type: 'error', code: 'RUN_LOCKED' }] });
    expect(await steer('stop', folder)).toMatchObject([{ action: 'stop', status: 'stopped' }]);
    const [ended, watched] = await Promise.all([live.ended, watcher.ended]);
    expect([ended.code, watched.code]).toEqual([0, 0]);
    expect(watched.lines).toEqual(ended.lines);
    expect(watched.lines.at(-1)).toMatchObject({ type: 'end', status: 'stopped' });
    expect(await steer('pause', folder)).toMatchObject([{ type: 'error', code: 'RUN_NOT_LIVE' }]);
  });

  test('park saves and ends; resume goes on from there', async () => {
    const { folder, live } = await begin('parked');
    expect(await steer('park', folder)).toMatchObject([{ action: 'park', status: 'parked' }]);
    const { code, lines } = await live.ended;
    expect(code).toBe(0);
    const { step } = lines.at(-1) as unknown as { step: number };
    const again = start(home, ['resume', folder, '--json']);
    expect(await again.until(({ type }) => type === 'resume')).toMatchObject({ from_step: step });
    again.kill('SIGTERM');
    expect((await again.ended).code).toBe(143);
  });

  test.each([['SIGINT', 130], ['SIGTERM', 143]] as const)('%s saves, exit %i', async (signal, code) => {
    const { folder, live } = await begin(signal);
    live.kill(signal);
    const ended = await live.ended;
    expect(ended.code).toBe(code);
    expect(ended.lines.at(-1)).toMatchObject({ type: 'end', status: 'interrupted', run: folder });
    const saved = ended.lines.findLast(({ type }) => type === 'checkpoint') as Line;
    expect(saved.step).toBe(ended.lines.at(-1)?.step);
    expect(statSync(join(saved.folder as string, 'model.safetensors')).size).toBeGreaterThan(0);
    expect(ended.stderr).toMatch(/go on with `node .*cli\.js resume \S+`/);
  }); // biome-ignore format: two rows

  test.skipIf(process.platform === 'win32')('SIGHUP saves, exit 129; under nohup the run goes on', async () => {
    const folder = join(home, 'hangup');
    const live = start(home, ['train', long(), '--run', folder, '--json'], { _: process.execPath });
    await live.until(({ type }) => type === 'epoch');
    live.kill('SIGHUP');
    const ended = await live.ended;
    expect(ended.code).toBe(129);
    const { step } = ended.lines.at(-1) as Line;
    expect(ended.lines.at(-1)).toMatchObject({ type: 'end', status: 'interrupted' });
    expect(ended.lines.findLast(({ type }) => type === 'checkpoint')?.step).toBe(step);
    const deaf = start(home, ['resume', folder, '--json'], { _: '/usr/bin/nohup' });
    await deaf.until(({ type }) => type === 'epoch');
    deaf.kill('SIGHUP');
    expect(await steer('pause', folder)).toMatchObject([{ status: 'paused' }]);
    expect(await steer('stop', folder)).toMatchObject([{ status: 'stopped' }]);
    expect((await deaf.ended).code).toBe(0);
  });

  test('a killed run: whoever watches it, or looks later, is told', async () => {
    const { folder, live } = await begin('killed');
    const watcher = start(home, ['watch', folder, '--json']);
    await watcher.until(({ type }) => type === 'epoch');
    live.kill('SIGKILL');
    await live.ended;
    for (const { code, lines, stderr } of [await watcher.ended, await gradloom(home, ['watch', folder, '--json'])]) {
      expect(code).toBe(1);
      expect(lines.at(-2)).toMatchObject({ type: 'error', code: 'WORKER_DIED' });
      expect(lines.at(-1)).toMatchObject({ type: 'end', status: 'interrupted', run: folder });
      expect(stderr).toContain(`cli.js resume ${folder}`);
    }
    expect((await gradloom(home, ['watch', folder])).stderr).toMatch(/ended without a word, after step \d/);
  });

  test('a second signal ends at once', async () => {
    const { live } = await begin('forced');
    live.kill('SIGINT');
    live.kill('SIGTERM');
    expect([130, 143]).toContain((await live.ended).code);
  });
});

describe('pipes and terminals', () => {
  test('a reader that leaves early ends nothing and is no error', async () => {
    const folder = join(home, 'unheard');
    const child = spawn(
      process.execPath,
      [cliFile, 'train', quickProject(home, 'quick', 20), '--run', folder, '--json'],
      {
        env: { ...process.env, GRADLOOM_HOME: home },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|Error/);
    expect(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'))).toMatchObject({
      status: 'completed',
      epoch: 20,
    });
  });

  const python = spawnSync('python3', ['-c', 'import pty']).status === 0;
  test.skipIf(!python || process.platform === 'win32')('a terminal gets one live line; NO_COLOR no colours', () => {
    const onTerminal = (environment: NodeJS.ProcessEnv) => {
      const code = `import pty, sys; pty.spawn(sys.argv[1:])`;
      const words = [process.execPath, cliFile, 'train', join(home, 'long.gradloom.json'), '--epochs', '30'];
      return execFileSync('python3', ['-c', code, ...words], {
        env: { ...process.env, GRADLOOM_HOME: home, TERM: 'xterm', NO_COLOR: undefined, ...environment },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    };
    quickProject(home, 'long', 30, 4000);
    const coloured = onTerminal({});
    expect(coloured).toContain('\r\x1b[2K');
    expect(coloured).toMatch(/epoch \d+\/30 {2}█*░* {2}loss \d/);
    expect(coloured).toContain('\x1b[1m');
    expect(coloured).toMatch(/Done after 30 epochs/);
    const plain = onTerminal({ NO_COLOR: '1' });
    expect(plain).toContain('█');
    expect(plain.replaceAll('\r\x1b[2K', '')).not.toContain('\x1b');
  });
});
