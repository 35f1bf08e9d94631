/** What the command line says next: lines that can be pasted, guesses for slips, and what is known where something is wrong. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { runProgram } from '../../engine/cli/program.ts';
import { startedAs } from '../../engine/command-line.ts';
import type { GradloomError } from '../../engine/contract/errors.ts';
import { Heard } from './heard.ts';
import { testFolder } from './idx-writer.ts';

beforeEach(() => vi.stubEnv('GRADLOOM_HOME', testFolder()));

async function said(...words: string[]) {
  const context = { out: new Heard(true), exitCode: 0 };
  await runProgram(words, '0.0.0', context);
  return { text: context.out.lines.join('\n'), objects: context.out.objects, exitCode: context.exitCode };
}

const refusal = (...words: string[]) =>
  said(...words).then(
    () => Promise.reject(new Error('not refused')),
    (error: GradloomError) => error,
  );

function projectOf(layers: unknown[], training: object = {}): string {
  const source = { kind: 'random', shape: [3, 8, 8], classes: 4, samples: 100 };
  const file = join(testFolder(), 'p.gradloom.json');
  writeFileSync(file, JSON.stringify({ gradloom: 1, name: 'p', data: { source }, model: { layers }, training }));
  return file;
}

const root = resolve(import.meta.dirname, '../..');

describe('lines that are to be pasted begin as this command line was started', () => {
  test.each<[string, string, NodeJS.ProcessEnv, string, string]>([
    [
      'by npm here',
      join(root, 'dist/cli.js'),
      { npm_lifecycle_event: 'gradloom', INIT_CWD: root },
      root,
      'npm run -s gradloom --',
    ],
    [
      'by npm from elsewhere',
      join(root, 'dist/cli.js'),
      { npm_lifecycle_event: 'gradloom', INIT_CWD: resolve(root, '..') },
      root,
      `npm --prefix ${root} run -s gradloom --`,
    ],
    ['by node', join(root, 'dist/cli.js'), { npm_lifecycle_event: 'test' }, root, 'node dist/cli.js'],
    ['on the PATH', '/usr/bin/gradloom', {}, root, 'gradloom'],
  ])('%s', (_name, script, env, from, line) => {
    expect(startedAs(script, env, from)).toBe(line);
  });
});

describe('a network that does not fit', () => {
  const layers = [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 8 }, { kind: 'Conv2d', out_channels: 2 }];

  test('has no totals: they are told up to where they are known', async () => {
    const { text, exitCode } = await said('plan', projectOf(layers));
    expect(exitCode).toBe(2);
    expect(text).toMatch(/^ +up to layer 1 +not known beyond +1,544 +3,072$/m);
    expect(text).toMatch(/^Memory in training: up to layer 1 .* KiB, not known beyond$/m);
    expect(text).not.toMatch(/total|at most|scalar/);
  });

  test('names a kind that is meant once', async () => {
    const { text } = await said('plan', projectOf([{ kind: 'Flatten' }, { kind: 'Lineer', out_features: 4 }]));
    expect(text).toContain('Next:  Change it to Linear');
    expect(text).not.toContain('Did you mean');
  });

  test('is not fitted where a layer is of no kind, which is named', async () => {
    const { text, exitCode, objects } = await said('fit', projectOf([{ kind: 'Flatten' }, { kind: 'Lineer' }]));
    expect(exitCode).toBe(2);
    expect(text).toContain('There is no layer of kind "Lineer": model.layers.1.');
    expect(objects).toEqual([expect.objectContaining({ written: false, changes: [] })]);
  });
});

describe('slips', () => {
  test('of a template’s name are guessed, with data of one’s own too', async () => {
    const hint = expect.stringMatching(/^Did you mean lenet-5\? Templates: /);
    expect(await refusal('new', 'lenet5')).toMatchObject({ code: 'FILE_NOT_FOUND', hint });
    const file = projectOf([{ kind: 'Flatten' }, { kind: 'Linear', out_features: 4 }]);
    expect(await refusal('new', 'lenet5', '--fit', file)).toMatchObject({ code: 'FILE_NOT_FOUND', hint });
  });

  test('of the data’s place are not told as those of a project that nobody wrote', async () => {
    const error = await refusal('new', 'lenet-5', '--fit', 'missing');
    expect(error).toMatchObject({ code: 'DATA_MISSING' });
    expect(error.hint).toMatch(/^Name a project file .* or a folder/);
  });

  test('of a learning rate are answered with what to set', async () => {
    const layers = [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 4 }];
    const { text } = await said('plan', projectOf(layers, { optimizer: { kind: 'Adam', lr: 'fast' } }));
    expect(text).toContain('Next:  Set lr to a number ≥ 0, such as 0.001. Size of a step');
  });
});
