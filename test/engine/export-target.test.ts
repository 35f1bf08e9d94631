/** Where exports may go: what they replace, what they write through to, and what they leave alone. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GradloomError } from '../../engine/contract/errors.ts';
import { writeWhole } from '../../engine/files.ts';
import { exportTarget } from '../../engine/runs/export-target.ts';
import { testFolder } from './idx-writer.ts';

function runIn(folder: string, name = 'run'): string {
  const run = join(folder, name);
  mkdirSync(join(run, 'checkpoints'), { recursive: true });
  for (const file of ['project.json', 'environment.json', 'metrics.jsonl']) writeFileSync(join(run, file), '{}');
  return run;
}

async function refused(out: string, run: string): Promise<GradloomError> {
  return exportTarget(out, run, 'run.pt').then(
    ({ file }) => Promise.reject(new Error(`not refused: ${file}`)),
    (error: GradloomError) => error,
  );
}

test('a new file, its folders made; an existing one is replaced; without a place, in the run', async () => {
  const folder = testFolder();
  const run = runIn(folder);
  const out = join(folder, 'a', 'b', 'w.pt');
  expect(await exportTarget(out, run, 'run.pt')).toEqual({ path: out, file: out, replaces: false });
  writeFileSync(out, 'old');
  expect(await exportTarget(out, run, 'run.pt')).toEqual({ path: out, file: out, replaces: true });
  const own = join(run, 'export', 'run.pt');
  expect(await exportTarget(undefined, run, 'run.pt')).toEqual({ path: own, file: own, replaces: false });
  const deeper = join(run, 'export', 'deeper', 'w.pt');
  expect(await exportTarget(deeper, run, 'run.pt')).toEqual({ path: deeper, file: deeper, replaces: false });
});

test('a folder is no file: what to give is named', async () => {
  const folder = testFolder();
  const run = runIn(folder);
  for (const out of [folder, `${folder}/`, join(folder, 'not yet/')]) {
    expect(await refused(out, run)).toMatchObject({ code: 'BAD_CALL', hint: expect.stringContaining('run.pt') });
  }
  expect(readdirSync(folder)).toEqual(['run']);
  expect((await refused(run, run)).hint).toContain(join(run, 'export'));
  mkdirSync(join(run, 'export'));
  expect((await refused(join(run, 'export'), run)).hint).toContain(join(run, 'export', 'run.pt'));
});

describe.skipIf(process.platform === 'win32')('links and what is no file', () => {
  test('a link is written through, and stays a link', async () => {
    const folder = testFolder();
    const run = runIn(folder);
    const [real, link] = [join(folder, 'real.pt'), join(folder, 'link.pt')];
    writeFileSync(real, 'old');
    symlinkSync(real, link);
    const target = await exportTarget(link, run, 'run.pt');
    expect(target).toEqual({ path: link, file: real, replaces: true });
    await writeWhole(target.file, (file) => file.writeFile('new'));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe('new');
  });

  test('a named pipe, also through a link, and links to nothing or in a circle are refused and stay', async () => {
    const folder = testFolder();
    const run = runIn(folder);
    const [pipe, toPipe, toNothing, circle] = ['pipe', 'to-pipe', 'to-nothing', 'circle'].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    execFileSync('mkfifo', [pipe]);
    symlinkSync(pipe, toPipe);
    symlinkSync(join(folder, 'nothing'), toNothing);
    symlinkSync(circle, circle);
    const before = readdirSync(folder);
    for (const out of [pipe, toPipe, toNothing, circle, join(toNothing, 'w.pt')]) {
      const error = await refused(out, run);
      expect(error).toMatchObject({ code: 'NOT_WRITABLE', hint: expect.stringMatching(/./) });
      expect(error.message).toContain(out === join(toNothing, 'w.pt') ? toNothing : out);
    }
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder)).toEqual(before);
  });

  test('a link into the run is no way around', async () => {
    const folder = testFolder();
    const run = runIn(folder);
    const way = join(folder, 'way');
    symlinkSync(run, way);
    symlinkSync(join(run, 'metrics.jsonl'), join(folder, 'w.pt'));
    symlinkSync(join(run, 'checkpoints'), join(run, 'export'));
    for (const out of [join(way, 'w.pt'), join(folder, 'w.pt'), join(run, 'export', 'w.pt')]) {
      expect(await refused(out, run)).toMatchObject({ code: 'NOT_WRITABLE' });
      expect(await refused(out, way)).toMatchObject({ code: 'NOT_WRITABLE' });
    }
  });
});

test("a run's own files and folders, this one's or another's, are refused; nothing is made", async () => {
  const folder = testFolder();
  const [run, other] = [runIn(folder), runIn(folder, 'other')];
  const before = readdirSync(run);
  for (const out of ['metrics.jsonl', 'new.pt', 'export', 'checkpoints/w.pt', 'new/w.pt', 'export/../lock']) {
    for (const each of [run, other]) {
      const error = await refused(join(each, out), run);
      expect(error).toMatchObject({ code: 'NOT_WRITABLE', hint: expect.stringContaining(join(each, 'export')) });
    }
  }
  expect(readdirSync(run)).toEqual(before);
  // A project.json of another program makes no run.
  const foreign = join(folder, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'project.json'), '{}');
  expect((await exportTarget(join(foreign, 'w.pt'), run, 'run.pt')).replaces).toBe(false);
});

test('a place that takes no files says so', async () => {
  const folder = testFolder();
  const run = runIn(folder);
  writeFileSync(join(folder, 'file'), '');
  expect(await refused(join(folder, 'file', 'w.pt'), run)).toMatchObject({ code: 'NOT_WRITABLE' });
  if (!existsSync('/proc/self')) return;
  const deep = await refused('/proc/gradloom/w.pt', run);
  const flat = await writeWhole('/proc/gradloom', async () => {}).catch((error: GradloomError) => error);
  for (const error of [deep, flat as GradloomError]) {
    expect(error).toMatchObject({ code: 'NOT_WRITABLE', hint: expect.stringContaining('another place') });
    expect(error.message).not.toMatch(/gradloom\S* does not exist/);
  }
  expect(basename(deep.path as string)).toBe('w.pt');
});
