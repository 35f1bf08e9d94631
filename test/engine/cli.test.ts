/** The command line without training: usage, plan, runs, exit codes, and that standard output holds JSON only. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setting } from '../../engine/cli/arguments.ts';
import { codeOfEnd, codeOfError } from '../../engine/cli/exit-codes.ts';
import { Output } from '../../engine/cli/output.ts';
import { runProgram } from '../../engine/cli/program.ts';
import type { GradloomError } from '../../engine/contract/errors.ts';
import { newProjectFromTemplate } from '../../engine/projects.ts';
import { gradloom } from './cli-process.ts';
import { counting, folderOf, idxBytes, testFolder } from './idx-writer.ts';

const templates = new URL('../../assets/templates/', import.meta.url).pathname;
const mlp = join(templates, 'digits-mlp.gradloom.json');

/** What a call is refused with, without a process. */
async function refusal(words: string[]): Promise<GradloomError> {
  const context = { out: new Output(true), exitCode: 0 };
  return runProgram(words, '0.0.0', context).then(
    () => Promise.reject(new Error('not refused')),
    (error: GradloomError) => error,
  );
}

// biome-ignore lint/suspicious/noExplicitAny: tests spoil projects in every way
type Draft = any;

function projectFile(change: (project: Draft) => unknown): string {
  const project = JSON.parse(readFileSync(mlp, 'utf8'));
  project.data.source.path = join(templates, '../data/digits');
  change(project);
  const file = join(testFolder(), 'p.gradloom.json');
  writeFileSync(file, JSON.stringify(project));
  return file;
}

describe('wrong usage: exit 2, said in words and as a line', () => {
  test.each<[string[], RegExp]>([
    [[], /command is missing/],
    [['plna', 'x'], /Unknown command 'plna'/],
    [['train'], /Missing required argument 'file'/],
    [['train', 'a', 'b'], /Too many arguments/],
    [['train', 'a', '--epoch', '3'], /Unknown option '--epoch'/],
    [['train', 'a', '--epochs', '0'], /whole number ≥ 1/],
    [['train', 'a', '--epochs', 'ten'], /whole number ≥ 1/],
    ...[['train'], ['look'], ['demo'], ['find', 'lr'], ['find', 'batch'], ['verify', 'resume']].map(
      (name): [string[], RegExp] => [
        [...name, ...(name[0] === 'demo' ? [] : ['a']), '--threads', '100000'],
        /cannot be given 100000 threads.*: 1 to \d+ can be/s,
      ],
    ),
    [['train', 'a', '--set', 'lr'], /key\.path=JSON/],
    [['train', 'a', '--set', 'training.deterministic=True'], /JSON writes true/],
    [['train', 'a', '--set', 'a.b={"c":'], /is not JSON/],
    [['train', mlp, '--checkpoint', 'best'], /no run to start from/],
    [['resume', 'x', '--weights', 'w.pt'], /Unknown option '--weights'/],
    [['evaluate', 'x', '--split', 'all'], /train, val or test/],
    [['evaluate', 'x', '--checkpoint', 'newest'], /best, last or the number/],
    [['predict', 'x'], /What to predict is missing/],
    [['export', 'x'], /--format/],
    [['train', ''], /argument is empty/],
    [['plan', ''], /argument is empty/],
    [['train', 'a', '--run', ''], /value of --run is empty/],
    [['train', 'a', '--run='], /value of --run is empty/],
    [['demo', '--device', ''], /value of --device is empty/],
    [['resume', ''], /argument is empty/],
    [['export', '', '--format', 'pt'], /argument is empty/],
    [['export', 'x', '--format', 'pt', '--out', ''], /value of --out is empty/],
    [['stop', ''], /argument is empty/],
    [['predict', 'x', ''], /argument is empty/],
    [['layers', 'Conv2x'], /no layer of kind Conv2x/],
    [['layers', 'Linear', 'ReLU'], /Too many arguments/],
  ])('%j', async (words, message) => {
    const error = await refusal(words);
    expect(error).toMatchObject({ code: 'BAD_CALL', hint: expect.stringMatching(/./) });
    expect(error.message).toMatch(message);
  });

  test('train takes weights to start from, and says that they are not there', async () => {
    const error = await refusal(['train', mlp, '--weights', '/nowhere/w.pt']);
    expect(error).toMatchObject({ code: 'FILE_NOT_FOUND', message: expect.stringContaining('/nowhere/w.pt') });
  });

  test('as a process', async () => {
    const home = testFolder();
    const [text, json] = await Promise.all([gradloom(home, ['plna']), gradloom(home, ['plna', '--json'])]);
    expect(text).toMatchObject({ code: 2, stdout: '' });
    expect(text.stderr).toMatch(/^Error: Unknown command 'plna'\.\n {2}Next: {2}Did you mean plan\?/);
    expect(json).toMatchObject({ code: 2, stderr: text.stderr });
    expect(json.lines).toEqual([
      { type: 'error', code: 'BAD_CALL', message: "Unknown command 'plna'.", hint: expect.stringContaining('plan') },
    ]);
  });

  test.each<[string[], string]>([
    [['train', 'nowhere.json'], 'FILE_NOT_FOUND'],
    [['plan', 'nowhere.json'], 'FILE_NOT_FOUND'],
    [['resume', 'nothing'], 'RUN_NOT_FOUND'],
    [['evaluate', 'nothing'], 'RUN_NOT_FOUND'],
    [['predict', 'nothing', '--split', 'val'], 'RUN_NOT_FOUND'],
    [['predict', 'nothing', 'a.png'], 'RUN_NOT_FOUND'],
    [['predict', 'nothing', 'a.png', '--split', 'val'], 'BAD_CALL'],
    [['export', 'nothing', '--format', 'pt'], 'RUN_NOT_FOUND'],
    [['export', 'nothing', '--format', 'onnx'], 'NOT_SUPPORTED'],
    [['watch', 'nothing'], 'RUN_NOT_FOUND'],
    [['pause', 'nothing'], 'RUN_NOT_FOUND'],
    [['stop', 'nothing'], 'RUN_NOT_FOUND'],
    [['demo', 'nothing'], 'FILE_NOT_FOUND'],
    [['new', 'nothing'], 'FILE_NOT_FOUND'],
    [['train', mlp, '--weights', mlp, '--names', 'nowhere.json'], 'FILE_NOT_FOUND'],
    [['train', mlp, '--weights', mlp, '--names', import.meta.filename], 'BAD_CALL'],
  ])('%j is refused with %s', async (words, code) => {
    const error = await refusal(words);
    expect(error).toMatchObject({ code, hint: expect.stringMatching(/./) });
    expect(codeOfError(error.code)).toBe(2);
  });

  test('help and version are no errors, and no JSON', async () => {
    const home = testFolder();
    const [help, version, json] = await Promise.all([
      gradloom(home, ['--help']),
      gradloom(home, ['--version']),
      gradloom(home, ['train', '--help', '--json']),
    ]);
    for (const command of 'train resume plan evaluate predict export devices runs watch pause park continue stop doctor'.split(
      ' ',
    )) {
      expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(json).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('--set') });
  });
});

describe('plan', () => {
  test('one object: layers in order, parameters, FLOPs, memory, no problems', async () => {
    const { code, lines, stderr } = await gradloom(testFolder(), ['plan', mlp, '--json']);
    expect(code).toBe(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ type: 'plan', input: [1, 28, 28], parameters: 235146, problems: [] });
    const layers = lines[0]?.layers as { path: string; kind: string; output: number[]; parameters: number }[];
    expect(layers.map(({ path, kind, output, parameters }) => [path, kind, output, parameters])).toEqual([
      ['0', 'Flatten', [784], 0],
      ['1', 'Linear', [256], 200960],
      ['2', 'ReLU', [256], 0],
      ['3', 'Linear', [128], 32896],
      ['4', 'ReLU', [128], 0],
      ['5', 'Linear', [10], 1290],
    ]);
    expect(layers[1]).toMatchObject({ flops: expect.any(Number), activation_bytes: expect.any(Number) });
    expect(lines[0]?.memory).toMatchObject({ total: expect.any(Number) });
    expect(stderr).toMatch(/^5 +Linear\(128, 10\) +10 +1,290/m);
  });

  test('--formulas: where the numbers come from', async () => {
    const { lines, stderr } = await gradloom(testFolder(), ['plan', mlp, '--formulas', '--json']);
    const layers = lines[0]?.layers as { formulas: object }[];
    expect(layers[5]?.formulas).toEqual({
      shape: ['[…, in] → […, out_features]', 'out_features = 10'],
      parameters: ['weight: 10 · 128 = 1280', 'bias: 10', 'together: 1280 + 10 = 1290'],
      flops: '2 · in · n = 2 · 128 · 10 = 2560',
    });
    expect(stderr).toContain('5 Linear: [128] → [10]');
    // For people with thousands apart.
    expect(stderr).toContain('  weight: 10 · 128 = 1,280');
  });

  test('problems: severity, place, hint, fixes; exit 2', async () => {
    const file = projectFile((project: Draft) => {
      project.model.layers = [{ kind: 'Linear', out_features: 10 }, { kind: 'Lineer' }];
    });
    const { code, lines, stderr } = await gradloom(testFolder(), ['plan', file, '--json']);
    expect(code).toBe(2);
    expect(lines).toHaveLength(1);
    const problems = lines[0]?.problems as object[];
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) {
      expect(problem).toEqual({
        code: expect.any(String),
        severity: expect.stringMatching(/^(error|warning)$/),
        path: expect.any(String),
        message: expect.any(String),
        hint: expect.any(String),
        fixes: expect.any(Array),
      });
    }
    expect(lines[0]?.problems).toContainEqual(
      expect.objectContaining({ code: 'UNKNOWN_KIND', path: expect.stringContaining('model.layers.1') }),
    );
    expect(stderr).toMatch(/Problem: .*\n {2}Where: model\.layers\.1/);
  });

  test('a schedule is shown before the run: its unit, its length, its rates', async () => {
    const file = projectFile((project: Draft) => {
      project.training.schedule = { kind: 'CosineAnnealingLR', unit: 'step', warmup: { steps: 36 } };
    });
    const { code, lines, stderr } = await gradloom(testFolder(), ['plan', file, '--json']);
    expect(code).toBe(0);
    expect(lines[0]?.schedule).toMatchObject({ unit: 'step', total: 284, note: null });
    expect(stderr).toMatch(
      /Learning rate: CosineAnnealingLR over 284 steps after a warm-up of 36 steps\nepoch +step +lr\n/,
    );
    expect(stderr).toMatch(/^ +10 +320 +/m);
  });

  test('a warning alone is exit 0', async () => {
    const file = projectFile((project: Draft) => {
      project.training.epoch = 3;
    });
    const { code, lines } = await gradloom(testFolder(), ['plan', file, '--json']);
    expect(code).toBe(0);
    expect(lines[0]?.problems).toMatchObject([{ code: 'UNKNOWN_KEY', severity: 'warning', path: 'training.epoch' }]);
  });

  test.each<[string, string, string]>([
    ['not JSON', '{ "gradloom": 1,', 'PROJECT_SYNTAX'],
    ['of a newer version', '{ "gradloom": 99 }', 'PROJECT_NEWER'],
  ])('a project that is %s says where', async (_, text, expected) => {
    const file = join(testFolder(), 'p.gradloom.json');
    writeFileSync(file, text);
    const { code, lines } = await gradloom(testFolder(), ['plan', file, '--json']);
    expect(code).toBe(2);
    expect(lines).toEqual([
      expect.objectContaining({ type: 'error', code: expected, path: expect.any(String), hint: expect.any(String) }),
    ]);
  });

  const images = idxBytes([4, 2, 2], counting([16]));
  test.each<[string, Record<string, Buffer>, string]>([
    ['missing', {}, 'DATA_MISSING'],
    ['truncated', { images: images.subarray(0, 20), labels: idxBytes([4], [0, 1, 2, 3]) }, 'DATA_TRUNCATED'],
    [
      'of another kind',
      { 'images.idx3-ubyte': Buffer.from('GIF89a'), labels: idxBytes([4], [0, 1, 2, 3]) },
      'DATA_FORMAT',
    ],
    ['of different counts', { images, labels: idxBytes([3], [0, 1, 2]) }, 'DATA_COUNT'],
  ])('data that is %s', async (_, files, expected) => {
    const folder = folderOf(files);
    const file = projectFile((project: Draft) => {
      project.data.source.path = folder;
      project.data.split.val = 0.25;
    });
    for (const command of ['plan', 'train']) {
      const { code, lines, stderr } = await gradloom(testFolder(), [command, file, '--json']);
      expect(code).toBe(2);
      expect(lines).toContainEqual(
        expect.objectContaining({ type: 'error', code: expected, path: expect.stringContaining(folder) }),
      );
      expect(stderr).toMatch(/Next: /);
    }
  });

  test('a label beyond the last layer’s outputs is found before anything is begun', async () => {
    const folder = folderOf({ images, labels: idxBytes([4], [0, 1, 12, 3]) });
    const file = projectFile((project: Draft) => {
      project.data.source.path = folder;
      project.data.split = { val: 0.25, stratify: false };
    });
    const home = testFolder();
    const [plan, train] = await Promise.all([
      gradloom(home, ['plan', file, '--json']),
      gradloom(home, ['train', file, '--json']),
    ]);
    expect([plan.code, train.code]).toEqual([2, 2]);
    expect(plan.lines[0]?.problems).toContainEqual(
      expect.objectContaining({ code: 'OUTPUT_MISMATCH', severity: 'error' }),
    );
    expect(train.lines).toEqual([expect.objectContaining({ type: 'error', code: 'PROJECT_INVALID' })]);
  });
});

test('no runs yet', async () => {
  const home = testFolder();
  expect(await gradloom(home, ['runs', '--json'])).toMatchObject({ code: 0, stdout: '' });
  expect((await gradloom(home, ['runs'])).stdout).toMatch(/No runs yet/);
});

test('doctor', async () => {
  const { code, lines } = await gradloom(testFolder(), ['doctor', '--json']);
  expect(lines).toMatchObject([{ type: 'doctor', ok: code === 0 }]);
  expect(lines[0]?.findings).toContainEqual(expect.objectContaining({ name: 'Node.js', status: 'ok' }));
});

test('errors and ends as exit codes', () => {
  expect(
    ['BAD_CALL', 'DATA_COUNT', 'RUN_EXISTS', 'RUN_LOCKED', 'DEVICE_UNKNOWN', 'WEIGHTS_FORMAT'].map((code) =>
      codeOfError(code as 'BAD_CALL'),
    ),
  ).toEqual([2, 2, 2, 2, 2, 2]);
  expect(
    ['INTERNAL', 'DISK_FULL', 'OUT_OF_MEMORY', 'NON_FINITE', 'ADDON_MISSING'].map((code) =>
      codeOfError(code as 'INTERNAL'),
    ),
  ).toEqual([1, 1, 1, 1, 1]);
  expect([
    codeOfEnd('completed', null),
    codeOfEnd('completed', 'SIGINT'),
    codeOfEnd('stopped', null),
    codeOfEnd('parked', null),
  ]).toEqual([0, 0, 0, 0]);
  expect([codeOfEnd('failed', null), codeOfEnd('interrupted', 'SIGINT'), codeOfEnd('interrupted', 'SIGTERM')]).toEqual([
    1, 130, 143,
  ]);
});

test.each<[string, [string, unknown]]>([
  ['training.optimizer.lr=0.01', ['training.optimizer.lr', 0.01]],
  ['training.metrics=["accuracy"]', ['training.metrics', ['accuracy']]],
  ['model.layers.3.out_features=64', ['model.layers.3.out_features', 64]],
  ['training.optimizer={"kind": "SGD", "lr": 0.1}', ['training.optimizer', { kind: 'SGD', lr: 0.1 }]],
  ['training.optimizer.kind=SGD', ['training.optimizer.kind', 'SGD']],
  ['training.device=cuda:0', ['training.device', 'cuda:0']],
  ['data.source.path=../data/a=b', ['data.source.path', '../data/a=b']],
  ['name="1"', ['name', '1']],
  ['training.clip_grad_norm=null', ['training.clip_grad_norm', null]],
])('--set %s', (text, expected) => {
  expect(setting(text)).toEqual([expected]);
});

test('a new project from a template: data copied once, name free, reused when unchanged', async () => {
  const home = testFolder();
  const first = await newProjectFromTemplate('digits-mlp', home);
  expect(first).toBe(join(home, 'projects', 'digits-mlp.gradloom.json'));
  expect(readFileSync(first, 'utf8')).toBe(readFileSync(mlp, 'utf8')); // the relative path is the same there
  expect(readFileSync(join(home, 'data/digits/LICENSE'), 'utf8')).toMatch(/CC BY-SA/);
  expect(await newProjectFromTemplate('digits-mlp', home, { reuse: true })).toBe(first);
  expect(await newProjectFromTemplate('digits-mlp', home)).toBe(join(home, 'projects', 'digits-mlp-2.gradloom.json'));
  writeFileSync(first, '{}');
  expect(await newProjectFromTemplate('digits-mlp', home, { reuse: true })).toBe(
    join(home, 'projects', 'digits-mlp-2.gradloom.json'),
  );
});
