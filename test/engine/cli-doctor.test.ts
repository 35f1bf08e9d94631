/** `data doctor`, `data mark` and `data marks` as a person calls them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gradloom } from './cli-process.ts';
import { folderOf, idxBytes, testFolder } from './idx-writer.ts';

/** Ten samples of three values in two classes, and a test part with a third. */
const data = ({ test: tested = true } = {}) => {
  const rows = Array.from({ length: 10 }, (_, i) => [i % 9, (i * 7) % 11, 3 * (i % 9)]);
  return folderOf({
    'train-images': idxBytes([10, 3], rows.flat()),
    'train-labels': idxBytes(
      [10],
      rows.map((_, i) => i % 2),
    ),
    ...(tested
      ? { 'test-images': idxBytes([2, 3], [50, 51, 52, 53, 54, 56]), 'test-labels': idxBytes([2], [0, 2]) }
      : {}),
  });
};

test('the doctor’s report, for programs and for people; exit code 1 with an error', async () => {
  const [home, folder] = [testFolder(), data()];
  const told = await gradloom(home, ['data', 'doctor', folder, '--json']);
  expect(told.code).toBe(1);
  const report = told.lines.at(-1) as { type: string; findings: { code: string; severity: string }[] };
  expect(report.type).toBe('doctor');
  expect(report.findings[0]).toMatchObject({ code: 'UNSEEN_CLASS', severity: 'error' });
  const shown = await gradloom(home, ['data', 'doctor', folder]);
  expect(shown.stdout).toContain('Problem: 1 class to validate or test with is never trained on');
  expect(shown.stdout).toContain('class 2');
  expect(shown.stdout).toMatch(/Looked at: samples that cannot be read; .*constant/);
  expect(existsSync(path.join(folder, 'gradloom-marks.json'))).toBe(false);
});

test('a project’s own split counts, and clean data are exit code 0', async () => {
  const [home, folder] = [testFolder(), data({ test: false })];
  const project = path.join(home, 'small.gradloom.json');
  const source = { kind: 'idx', path: folder };
  writeFileSync(project, JSON.stringify({ gradloom: 1, data: { source, split: { val: 0 } } }));
  const told = await gradloom(home, ['data', 'doctor', project, '--json']);
  expect(told.code).toBe(0);
  expect(told.lines.at(-1)).toMatchObject({ splits: [{ name: 'train', count: 10 }] });
});

test('fixes have numbers, and are made on request: marks beside the data, edits of a project', async () => {
  const home = testFolder();
  const rows = Array.from({ length: 44 }, (_, i) => [i % 40, (i * 7) % 40, i % 40]);
  const folder = folderOf({
    'train-images': idxBytes(
      [44, 3],
      rows.flatMap(([a]) => [a, (a as number) * 5, 3 * (a as number)] as number[]),
    ),
    'train-labels': idxBytes(
      [44],
      rows.map(([a]) => ((a as number) < 36 ? 0 : 1)),
    ),
  });
  const project = path.join(home, 'small.gradloom.json');
  writeFileSync(
    project,
    JSON.stringify({ gradloom: 1, data: { source: { kind: 'idx', path: folder }, split: { val: 0 } } }),
  );
  const shown = await gradloom(home, ['data', 'doctor', project]);
  const number = (label: string) => new RegExp(`Fix (\\d+): ${label}`).exec(shown.stdout)?.[1] as string;
  const fixed = await gradloom(home, [
    'data',
    'doctor',
    project,
    '--fix',
    number('Leave out'),
    '--fix',
    number('Weigh'),
  ]);
  expect(fixed.stdout).toContain('Done: Weigh classes');
  expect(JSON.parse(readFileSync(path.join(folder, 'gradloom-marks.json'), 'utf8')).marks).toHaveLength(4);
  const { loss } = JSON.parse(readFileSync(project, 'utf8')).training;
  expect(loss).toMatchObject({ kind: 'CrossEntropyLoss', weight: [expect.any(Number), expect.any(Number)] });
  const wrong = await gradloom(home, ['data', 'doctor', project, '--fix', '99']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('no fix 99')]);
});

test('a mark is put, listed, honoured and taken away', async () => {
  const [home, folder] = [testFolder(), data()];
  const call = (...words: string[]) => gradloom(home, ['data', ...words]);
  const file = path.join(folder, 'gradloom-marks.json');
  const put = await call('mark', folder, '9', '--exclude', '--note', 'twice', '--json');
  expect(put.lines).toEqual([
    { type: 'marks', path: file, marks: [{ part: 'train', sample: '9', exclude: true, note: 'twice' }] },
  ]);
  await call('mark', folder, '1', '--part', 'test', '--label', '0');
  const listed = await call('marks', folder);
  expect(listed.stdout).toMatch(/test +1 +is 0/);
  expect(listed.stdout).toMatch(/train +9 +left out +twice/);
  const report = await call('doctor', folder, '--json');
  expect(report.lines.at(-1)).toMatchObject({
    splits: [{ name: 'train' }, { name: 'val' }, { name: 'test', classes: [2, 0, 0] }],
  });
  await call('mark', folder, '9', '--clear');
  await call('mark', folder, '1', '--part', 'test', '--clear');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ gradloom_marks: 1, marks: [] });
});

test('what cannot be marked is refused with what can', async () => {
  const [home, folder] = [testFolder(), data()];
  const refused = async (...words: string[]) => {
    const { code, stderr } = await gradloom(home, ['data', 'mark', ...words]);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refused(folder, '77', '--exclude')).toMatch(/no sample 77.*such as "0"/s);
  expect(await refused(folder, '1', '--label', 'cat')).toContain('Classes are 0, 1, 2');
  expect(await refused(folder, '1')).toContain('--exclude');
  expect(await refused(folder, '1', '--exclude', '--label', '0')).toContain('one at a time');
  const drawn = path.join(home, 'drawn.gradloom.json');
  writeFileSync(drawn, JSON.stringify({ gradloom: 1, data: { source: { kind: 'random', shape: [2], samples: 4 } } }));
  expect(await refused(drawn, '1', '--exclude')).toContain('have no marks');
});
