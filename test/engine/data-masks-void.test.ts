/** Masks whose borders belong to no class: the classes count without them, and a loss is told to ignore them. */
import { expect, test } from 'vitest';
import { fitProject } from '../../engine/contract/fit.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { inspectPath } from '../../engine/data/recognise/inspect.ts';
import { imageFolder, raw } from './image-writer.ts';

const layers = [{ kind: 'Conv2d', out_channels: 3, kernel_size: 1 }];
const mask = (values: number[]) => raw(values, 2, 1).toColourspace('b-w').png();
const masks = { kind: 'image_mask', images: 'images', masks: 'masks' };
const photo = raw(new Array(12).fill(1), 2, 3).png();

async function masksOf(...values: number[][]) {
  const files = Object.fromEntries(
    values.flatMap((each, at) => [
      [`images/${at}.png`, photo],
      [`masks/${at}.png`, mask(each)],
    ]),
  );
  const { found } = await inspectPath(await imageFolder(files));
  const [first] = found;
  if (!first?.facts) throw new Error('no masks');
  return { facts: first.facts, notes: first.notes.map(({ message }) => message) };
}

test('255 above all others is no class; the loss is to ignore it, by a click and by fitting', async () => {
  const { facts, notes } = await masksOf([0, 1, 2, 255], [1, 1, 255, 255]);
  expect(facts.target).toMatchObject({ kind: 'mask', classes: ['0', '1', '2'], counts: [1, 3, 1], ignored: 255 });
  expect(notes.join()).toContain('255');
  const project = {
    gradloom: 1,
    data: { source: masks },
    model: { layers },
    training: { loss: { kind: 'CrossEntropyLoss' } },
  };
  const [problem] = planProject(project, facts).problems.filter(({ severity }) => severity === 'error');
  expect(problem).toMatchObject({ code: 'TARGET_MISMATCH', path: 'training.loss.ignore_index' });
  expect(problem?.fixes[0]?.edits).toMatchObject([{ path: ['training', 'loss', 'ignore_index'], value: 255 }]);
  const fit = fitProject(project, facts);
  expect(fit.refused).toBeNull();
  expect(fit.plan.project.training.loss.args).toMatchObject({ ignore_index: 255 });
});

test('a loss that ignores nothing is exchanged for one that does', async () => {
  const { facts } = await masksOf([0, 1, 1, 255], [1, 0, 0, 255]);
  expect(facts.target).toMatchObject({ classes: ['0', '1'], ignored: 255 });
  const project = { model: { layers }, training: { loss: { kind: 'BCEWithLogitsLoss' } } };
  const [problem] = planProject(project, facts).problems.filter(({ path }) => path === 'training.loss');
  expect(problem?.message).toContain('255');
  expect(problem?.fixes[0]?.edits[0]?.value).toEqual({ kind: 'CrossEntropyLoss', ignore_index: 255 });
});

test('black and white masks and masks of 256 classes have no such value', async () => {
  const { facts } = await masksOf([0, 255, 255, 0]);
  expect(facts.target).toMatchObject({ classes: ['background', 'foreground'] });
  expect(facts.target).not.toHaveProperty('ignored');
  const full = await masksOf([0, 253, 254, 255]);
  expect(full.facts.target).not.toHaveProperty('ignored');
});
