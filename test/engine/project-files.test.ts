/** Projects as files: nobody's change is lost, links stay links, other programs' changes are seen; the workspace's settings beside them. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ProjectFiles } from '../../engine/project-files.ts';
import { SettingsFile } from '../../engine/settings.ts';
import { threadsHere } from '../../engine/threads.ts';
import { temporaryFolder } from './runs-helpers.ts';

const text = '{ "gradloom": 1,\r\n  "name": "ä" }';

function written(content = text): { files: ProjectFiles; file: string } {
  const file = path.join(realpathSync(temporaryFolder()), 'a.gradloom.json');
  writeFileSync(file, content);
  return { files: new ProjectFiles(), file };
}

describe('open and save', () => {
  test('a text comes back as it was saved, byte for byte', async () => {
    const { files, file } = written();
    const open = await files.open(file);
    expect(open).toMatchObject({ file, text });
    const next = `\uFEFF${text}\n\n`;
    const saved = await files.save(file, open.revision, next);
    expect(readFileSync(file, 'utf8')).toBe(next);
    expect(await files.open(file)).toEqual(saved);
  });

  test('what is no UTF-8 text, or no file that ends, is refused', async () => {
    const { files, file } = written();
    writeFileSync(file, Buffer.from('{ "gradloom": 1, "name": "\u00e4" }', 'latin1'));
    await expect(files.open(file)).rejects.toMatchObject({ code: 'PROJECT_SYNTAX', path: file });
    if (process.platform === 'win32') return;
    const pipe = path.join(path.dirname(file), 'pipe.gradloom.json');
    execFileSync('mkfifo', [pipe]);
    await expect(files.open(pipe)).rejects.toMatchObject({ code: 'NOT_READABLE', path: pipe });
  });

  test('of two windows that save the same revision one is refused, however close they are; nothing of the other is lost', async () => {
    const { files, file } = written();
    const { revision } = await files.open(file);
    const texts = Array.from({ length: 8 }, (_, i) => `{ "gradloom": 1, "name": "n${i}" }`);
    const results = await Promise.allSettled(texts.map((each) => files.save(file, revision, each)));
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'STALE_REVISION', path: file });
    }
    expect(readFileSync(file, 'utf8')).toBe(texts[0]);
    expect(readdirSync(path.dirname(file))).toEqual(['a.gradloom.json']);
  });

  test("another program's change is not saved over, unless that is what was asked for", async () => {
    const { files, file } = written();
    const { revision } = await files.open(file);
    writeFileSync(file, '{ "gradloom": 1, "name": "theirs" }');
    await expect(files.save(file, revision, text)).rejects.toMatchObject({ code: 'STALE_REVISION' });
    await files.save(file, revision, text, { overwrite: true });
    expect(readFileSync(file, 'utf8')).toBe(text);
    rmSync(file);
    await expect(files.save(file, revision, text)).rejects.toMatchObject({ code: 'STALE_REVISION' });
    expect(existsSync(file)).toBe(false);
    await files.save(file, revision, text, { overwrite: true });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('a link stays a link, and permissions stay', async () => {
    const { files, file } = written();
    chmodSync(file, 0o640);
    const link = path.join(path.dirname(file), 'link.gradloom.json');
    symlinkSync(file, link);
    const { revision } = await files.open(link);
    await files.save(link, revision, '{}');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('{}');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test.each([
    ['', 'PROJECT_SYNTAX'],
    ['{', 'PROJECT_SYNTAX'],
    ['{"gradloom": 99}', 'PROJECT_NEWER'],
    [`"${'x'.repeat(9 << 20)}"`, 'BAD_CALL'],
  ])('what is no project is neither opened nor saved: %.20s', async (bad, code) => {
    const { files, file } = written(bad);
    await expect(files.open(file)).rejects.toMatchObject({ code });
    await expect(files.save(file, '', bad, { overwrite: true })).rejects.toMatchObject({ code });
    expect(readFileSync(file, 'utf8')).toBe(bad);
  });

  test('folders and files that are not there are told apart', async () => {
    const { files, file } = written();
    await expect(files.open(path.dirname(file))).rejects.toMatchObject({ code: 'BAD_CALL' });
    await expect(files.open(`${file}x`)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('a new file never takes the place of another', async () => {
    const { files, file } = written();
    const folder = path.dirname(file);
    const made = await Promise.all([1, 2].map(() => files.saveNew(folder, 'a', (stem) => `{"name":"${stem}"}`)));
    expect(made.map((one) => path.basename(one.file))).toEqual(['a-2.gradloom.json', 'a-3.gradloom.json']);
    expect(made[1]?.text).toBe('{"name":"a-3"}');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('watch', () => {
  test('answers at once what has changed before, soon what changes then, and null for what is gone', async () => {
    const { files, file } = written();
    const { revision } = await files.open(file);
    expect(await files.watch(file, 'older', 5000)).toBe(revision);
    expect(await files.watch(file, revision, 50)).toBe(revision);
    for (const change of [
      () => writeFileSync(file, '{ "gradloom": 1 }'),
      () => {
        writeFileSync(`${file}.new`, '{ "gradloom": 1, "name": "b" }');
        renameSync(`${file}.new`, file);
      },
    ]) {
      const seen = (await files.open(file)).revision;
      const watching = files.watch(file, seen, 10_000);
      await sleep(20);
      change();
      const began = performance.now();
      expect(await watching).toBe((await files.open(file)).revision);
      expect(performance.now() - began).toBeLessThan(2000);
    }
    const last = files.watch(file, (await files.open(file)).revision, 10_000);
    rmSync(file);
    expect(await last).toBe(null);
  });

  test('a save through the same service is told at once; a touch is none', async () => {
    const { files, file } = written();
    const { revision } = await files.open(file);
    const watching = files.watch(file, revision, 10_000);
    await sleep(20);
    const began = performance.now();
    const saved = await files.save(file, revision, '{}');
    expect(await watching).toBe(saved.revision);
    expect(performance.now() - began).toBeLessThan(500);
    const touched = files.watch(file, saved.revision, 1000);
    writeFileSync(file, '{}');
    expect(await touched).toBe(saved.revision);
    const stop = new AbortController();
    const stopped = files.watch(file, saved.revision, 10_000, stop.signal);
    stop.abort();
    expect(await stopped).toBe(saved.revision);
  });
});

describe('settings', () => {
  test('each change is kept, changes at the same time too, and what another version has written', async () => {
    const home = path.join(temporaryFolder(), 'not made yet');
    const settings = new SettingsFile(home);
    expect(await settings.read()).toEqual({ theme: 'system', threads: null, device: null, cache_limit: null });
    await Promise.all([
      settings.change({ theme: 'dark' }),
      settings.change({ threads: 2 }),
      settings.remember('/a', 'A'),
      settings.remember('/b', 'B'),
    ]);
    await settings.remember('/a', 'A2');
    expect(await new SettingsFile(home).read()).toEqual({ theme: 'dark', threads: 2, device: null, cache_limit: null });
    expect((await settings.recent()).map(({ file, name }) => [file, name])).toEqual([
      ['/a', 'A2'],
      ['/b', 'B'],
    ]);
    await settings.forget('/a');
    const file = path.join(home, 'settings.json');
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...stored, later: { x: 1 }, theme: 'purple', recent: [...stored.recent, 5] }));
    expect(await settings.read()).toEqual({ theme: 'system', threads: 2, device: null, cache_limit: null });
    await settings.change({ device: 'cpu' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ later: { x: 1 }, threads: 2, device: 'cpu' });
    expect((await settings.recent()).length).toBe(1);
  });

  test('more threads than the machine can use are refused, and none where a file says so', async () => {
    const home = temporaryFolder();
    const settings = new SettingsFile(home);
    await expect(settings.change({ threads: 100_000 })).rejects.toMatchObject({ code: 'BAD_CALL' });
    writeFileSync(path.join(home, 'settings.json'), JSON.stringify({ version: 1, threads: threadsHere() + 1 }));
    expect((await settings.read()).threads).toBeNull();
    expect((await settings.change({ threads: threadsHere() })).threads).toBe(threadsHere());
  });

  test.each(['', '{', '[]', 'null', '\0\0'])(
    'a damaged file is no hindrance, and is kept aside: %j',
    async (content) => {
      const home = temporaryFolder();
      mkdirSync(home, { recursive: true });
      writeFileSync(path.join(home, 'settings.json'), content);
      const settings = new SettingsFile(home);
      expect((await settings.read()).theme).toBe('system');
      expect((await settings.change({ theme: 'light' })).theme).toBe('light');
      const aside = readdirSync(home).find((name) => name.startsWith('settings.json.damaged-'));
      expect(readFileSync(path.join(home, aside ?? ''), 'utf8')).toBe(content);
    },
  );
});
