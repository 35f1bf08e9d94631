/** A project's text with the settings of a call in it: where they go, and what is said of projects that have no place for them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { mostThreads } from '../../engine/contract/threads.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { chooseHardware, hardwareAgain, planRun, readRequested } from '../../engine/runs/prepare.ts';
import { threadsHere } from '../../engine/threads.ts';
import { temporaryFolder } from './runs-helpers.ts';

function withSettings(project: unknown, settings: [string, unknown][]): unknown {
  return JSON.parse(readRequested({ projectText: JSON.stringify(project), set: settings }).text);
}

describe('digits in a key', () => {
  const project = {
    model: { layers: [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 3 }], blocks: { 1: { layers: [{}, {}] } } },
  };
  test('are places in lists', () => {
    expect(withSettings(project, [['model.layers.1.out_features', 5]])).toMatchObject({
      model: { layers: [{ kind: 'Flatten' }, { out_features: 5 }] },
    });
  });

  test('are keys of objects', () => {
    const changed = withSettings(project, [
      ['model.blocks.1.layers.1', { kind: 'ReLU' }],
      ['model.blocks.2', { layers: [] }],
      ['model.blocks.2.layers', [{ kind: 'Tanh' }]],
      ['model.blocks.2.layers.0.kind', 'ReLU'],
    ]);
    expect(changed).toMatchObject({
      model: { blocks: { 1: { layers: [{}, { kind: 'ReLU' }] }, 2: { layers: [{ kind: 'ReLU' }] } } },
    });
  });

  test('beyond a list’s end are refused', () => {
    expect(() => withSettings(project, [['model.layers.2.bias', false]])).toThrow(/model\.layers is a list of 2/);
  });
});

describe('threads', () => {
  const plan = planProject({ training: { device: 'cpu' } }, null);

  test('are as many as asked for, up to what the machine can use', () => {
    expect([1, 16, 64, 1000].map(mostThreads)).toEqual([64, 64, 256, 1024]);
    expect(chooseHardware(plan, loadAddon(), threadsHere()).threads).toBe(threadsHere());
    for (const threads of [threadsHere() + 1, 100_000, 0, 1.5]) {
      expect(() => chooseHardware(plan, loadAddon(), threads)).toThrow(`cannot be given ${threads} threads`);
    }
  });

  test('of a run of a larger machine are fewer here', () => {
    const before = { device: 'cpu', precision: 'fp32' as const, threads: 100_000 };
    expect(hardwareAgain(plan, before, undefined, loadAddon()).threads).toBe(threadsHere());
  });
});

describe('a file that holds no project', () => {
  test.each(['null', '[]', '3'])('%s is refused alike with and without settings, the file named', async (text) => {
    const projectFile = path.join(temporaryFolder(), 'p.gradloom.json');
    writeFileSync(projectFile, text);
    for (const more of [{}, { epochs: 2 }, { device: 'cpu' }, { set: [['training.seed', 1] as [string, unknown]] }]) {
      const error = await refusal(() => planRun(readRequested({ projectFile, ...more })));
      expect(error).toMatchObject({ code: 'PROJECT_INVALID', hint: 'Start from a template.' });
      expect(error.message).toContain(`A project is an object, but the file holds ${text}`);
      expect(error.message).toContain(projectFile);
    }
  });

  test('a section without a place for the setting: the file and the section are named', async () => {
    const projectFile = path.join(temporaryFolder(), 'p.gradloom.json');
    writeFileSync(projectFile, '{"training": null}');
    const error = await refusal(() => planRun(readRequested({ projectFile, epochs: 2 })));
    expect(error).toMatchObject({ code: 'BAD_CALL', path: 'training.epochs', hint: expect.any(String) });
    expect(error.message).toMatch(/p\.gradloom\.json: .*training holds no keys/);
  });
});

test('empty names are no names', () => {
  const empty = expect.objectContaining({ code: 'BAD_CALL' });
  expect(() => readRequested({ projectFile: '' })).toThrow(empty);
  expect(() => readRequested({ projectText: '{}', run: '' })).toThrow(empty);
});

test('without validation, a project that monitors it is run, and the warning goes with it', async () => {
  const project = {
    gradloom: 1,
    data: { source: { kind: 'random', shape: [4], classes: 2, samples: 20, seed: 1 }, split: { val: 0.1 } },
    model: { layers: [{ kind: 'Linear', out_features: 2 }] },
    training: { checkpoint: { monitor: 'val_accuracy' } },
  };
  const request = { projectText: JSON.stringify(project), set: [['data.split.val', 0] as [string, unknown]] };
  const { plan, warnings } = await planRun(readRequested(request));
  expect(plan.project.training.checkpoint.monitor).toBe('train_accuracy');
  expect(warnings).toMatchObject([{ severity: 'warning', path: 'training.checkpoint.monitor' }]);
});

async function refusal(work: () => Promise<unknown>): Promise<GradloomError> {
  try {
    await work();
  } catch (thrown) {
    return GradloomError.from(thrown);
  }
  throw new Error('not refused');
}
