/** The page Train, against the engine. @vitest-environment jsdom */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { imageFolder, ramp, raw } from '../../engine/image-writer.ts';
import { client, home } from '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { default: TrainPage } = await import('../../../renderer/train/train-page.tsx');
const { closeProject, openProject, undo, useProjectState } = await import('../../../renderer/state/project.ts');
const { useDevices } = await import('../../../renderer/state/devices.ts');
const { openFile } = await import('../../../renderer/state/projects.ts');
const { useRuns } = await import('../../../renderer/state/runs.ts');

const gib = 2 ** 30;
const cpu = {
  name: 'cpu',
  label: 'A processor',
  memory_total: 16 * gib,
  memory_free: 8 * gib,
  capability: null,
  half: [],
};
const gpu = {
  name: 'cuda:0',
  label: 'A GPU',
  memory_total: 8 * gib,
  memory_free: 7 * gib,
  capability: '9.0',
  half: ['bf16' as const, 'fp16' as const],
};

const devices = (...found: (typeof cpu | typeof gpu)[]) =>
  useDevices.setState({
    report: {
      devices: found,
      versions: {},
      host: { cpu: 'A processor', cores: 2, memory_total: 16 * gib, memory_free: 8 * gib },
      findings: [],
      asked: new Date(0).toISOString(),
    },
  });

beforeEach(async () => {
  await closeProject();
  devices(cpu);
  useRuns.setState({ list: [] });
});

const project = () => JSON.parse(useProjectState.getState().text);
const digits = () => openProject(() => client.engine.projects.create({ template: 'digits-mlp' }));
const group = (title: string) => screen.getByRole('button', { name: new RegExp(`^${title}`) });

/** Groups stay as they were left for as long as the window lives. */
async function unfold(title: string): Promise<void> {
  if (group(title).getAttribute('aria-expanded') === 'false') await userEvent.click(group(title));
}

async function open(settings: object): Promise<void> {
  const file = path.join(home, `train-${Math.random().toString(36).slice(2)}.gradloom.json`);
  const whole = {
    gradloom: 1,
    name: 'small',
    data: { source: { kind: 'random', shape: [8], classes: 3, samples: 100 } },
    model: { layers: [{ kind: 'Linear', out_features: 3 }] },
    ...settings,
  };
  await writeFile(file, JSON.stringify(whole, null, 2));
  await openFile(file);
}

describe('Train', () => {
  test('weights of which nothing fits are a problem, with a way out', async () => {
    const file = path.join(home, 'other.safetensors');
    const header = JSON.stringify({ 'other.weight': { dtype: 'F32', shape: [1], data_offsets: [0, 4] } });
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(header.length));
    await writeFile(file, Buffer.concat([size, Buffer.from(header), Buffer.alloc(4)]));
    await open({ model: { layers: [{ kind: 'Linear', out_features: 3 }], weights: file } });
    showPage(<TrainPage />);
    expect((await screen.findAllByText(/^None of the weights to start from fits/)).length).toBeGreaterThan(0);
    expect(screen.getByText('1 problem stands in the way of a run.')).toBeDefined();
    const [fresh] = screen.getAllByRole('button', { name: 'Use fresh weights' });
    await userEvent.click(fresh as HTMLElement);
    expect(await screen.findByText(/^Ready/)).toBeDefined();
    expect(project().model.weights).toBeUndefined();
  });

  test('weights that cannot be read are a problem until they are put right', async () => {
    const file = path.join(home, 'damaged.safetensors');
    await writeFile(file, 'what is this');
    await open({ model: { layers: [{ kind: 'Linear', out_features: 3 }], weights: file } });
    showPage(<TrainPage />);
    const again = await screen.findByRole('button', { name: 'Read again' });
    expect(screen.getByText('1 problem stands in the way of a run.')).toBeDefined();
    expect(screen.getAllByText(/^A run cannot start from these weights: .* is no safetensors file/)).not.toEqual([]);
    expect(screen.queryByText(/^Ready/)).toBeNull();
    expect(screen.queryByText('WEIGHTS_FORMAT')).toBeNull();
    const header = JSON.stringify({ '0.bias': { dtype: 'F32', shape: [3], data_offsets: [0, 12] } });
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(header.length));
    await writeFile(file, Buffer.concat([size, Buffer.from(header), Buffer.alloc(12)]));
    await userEvent.click(again);
    expect(await screen.findByText(/^Ready/)).toBeDefined();
  });

  test('each group is one sentence while it is folded', async () => {
    await digits();
    showPage(<TrainPage />);
    expect(group('Optimizer').textContent).toBe('OptimizerAdam, lr 0.001, betas 0.9 and 0.999');
    expect(group('Device and precision').textContent).toContain('Auto, which takes cpu here');
    await waitFor(() => expect(group('Run').textContent).toContain('10 epochs of 32 steps'));
  });

  test('a setting that is typed is one step of undo; taken back, its key goes', async () => {
    await open({});
    showPage(<TrainPage />);
    await unfold('Optimizer');
    const before = useProjectState.getState().text;
    const lr = screen.getByLabelText<HTMLInputElement>('Learning rate');
    expect(lr.placeholder).toBe('0.001');
    await userEvent.type(lr, '0.05');
    // The key needs its kind, which was not written either.
    expect(project().training.optimizer).toEqual({ kind: 'Adam', lr: 0.05 });
    await userEvent.click(screen.getByRole('button', { name: /^Reset learning rate/ }));
    expect(project().training.optimizer).toEqual({ kind: 'Adam' });
    act(undo);
    expect(project().training.optimizer.lr).toBe(0.05);
    act(undo);
    expect(useProjectState.getState().text).toBe(before);
  });

  test('another optimizer keeps what it knows too', async () => {
    await open({ training: { optimizer: { kind: 'Adam', lr: 0.02, betas: [0.8, 0.9], weight_decay: 0.1 } } });
    showPage(<TrainPage />);
    await unfold('Optimizer');
    await userEvent.click(screen.getByRole('combobox', { name: 'Optimizer' }));
    await userEvent.click(await screen.findByRole('option', { name: /^SGD/, hidden: true }));
    expect(project().training.optimizer).toEqual({ kind: 'SGD', lr: 0.02, weight_decay: 0.1 });
    act(undo);
    expect(project().training.optimizer.betas).toEqual([0.8, 0.9]);
  });

  test('what this version does not run has no control, but its problem with its fix', async () => {
    await open({ training: { compile: 'max-autotune' } });
    showPage(<TrainPage />);
    expect(screen.queryByLabelText(/compile/i)).toBeNull();
    expect(screen.getByText('This version does not run compiled modes')).toBeDefined();
    expect(screen.getByText('1 problem stands in the way of a run.')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Set it to "off"' }));
    expect(project().training.compile).toBe('off');
    expect(screen.queryByText('Problems')).toBeNull();
  });

  test('a problem leads to its setting', async () => {
    await open({ data: { source: { kind: 'random', shape: [8], classes: 3 }, loader: { batch_size: 0 } } });
    showPage(<TrainPage />);
    // What is wrong is unfolded already; folded by hand, the problem opens it again.
    await userEvent.click(group('Batch and loader'));
    expect(screen.queryByLabelText('Batch size')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Show the setting' }));
    expect(screen.getByLabelText('Batch size').getAttribute('aria-invalid')).toBe('true');
    await userEvent.click(screen.getByRole('button', { name: 'Use the default, 256' }));
    expect(project().data.loader).toEqual({});
  });

  test('devices are choices; one that is not here can be let go', async () => {
    devices(cpu, gpu);
    await open({ training: { device: 'mps' } });
    showPage(<TrainPage />);
    expect(screen.getByText('There is no mps here, so a run would not start')).toBeDefined();
    await unfold('Device and precision');
    await userEvent.click(screen.getAllByRole('button', { name: 'Use auto' })[0] as HTMLElement);
    expect(project().training.device).toBe('auto');
    expect(screen.getByText(/^Here a run takes/).textContent).toBe('Here a run takes cuda:0: A GPU was found.');
    await userEvent.click(screen.getByRole('combobox', { name: 'Device' }));
    await userEvent.click(await screen.findByRole('option', { name: /^cpu/, hidden: true }));
    expect(project().training.device).toBe('cpu');
  });

  test('number formats tell what speaks against them; fp16 brings its loss scaling, a GPU its TF32', async () => {
    await open({ training: { precision: 'auto' } });
    showPage(<TrainPage />);
    await unfold('Device and precision');
    expect(screen.getAllByText(/A processor has no instructions for bf16/).length).toBeGreaterThan(0);
    expect(screen.queryByRole('switch', { name: 'TF32' })).toBeNull();
    await userEvent.click(screen.getByRole('combobox', { name: 'Precision' }));
    await userEvent.click(await screen.findByRole('option', { name: /^fp16/, hidden: true }));
    expect(project().training.precision).toBe('fp16');
    await userEvent.click(screen.getByRole('button', { name: /^More: loss scaling/ }));
    await userEvent.type(screen.getByLabelText('Growth interval'), '100');
    expect(project().training.loss_scale).toEqual({ growth_interval: 100 });
    act(() => devices(cpu, gpu));
    expect(screen.getByText('TF32')).toBeDefined();
  });

  test('what is off until it is wanted is one switch, and one step of undo', async () => {
    await open({});
    showPage(<TrainPage />);
    await unfold('Regularisation');
    expect(screen.queryByLabelText('Decay')).toBeNull();
    await userEvent.click(screen.getByRole('switch', { name: 'Averaged weights' }));
    expect(project().training.ema).toEqual({});
    await userEvent.type(screen.getByLabelText('Decay'), '0.9');
    expect(project().training.ema).toEqual({ decay: 0.9 });
    await userEvent.click(screen.getByRole('switch', { name: 'Averaged weights' }));
    expect(project().training).not.toHaveProperty('ema');
    act(undo);
    expect(project().training.ema).toEqual({ decay: 0.9 });
  });

  test('metrics are added, given arguments and taken away', async () => {
    await open({});
    showPage(<TrainPage />);
    await unfold('Loss and metrics');
    const measured = () =>
      within(screen.getByRole('list', { name: 'Metrics measured' }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent);
    expect(measured()).toEqual(['Accuracy']);
    await userEvent.click(screen.getByRole('combobox', { name: 'Add a metric' }));
    const unfit = await screen.findByRole('option', { name: /^Mean absolute error/, hidden: true });
    expect(unfit.getAttribute('data-combobox-disabled')).toBe('true');
    expect(unfit.textContent).toContain('For targets that are');
    await userEvent.click(await screen.findByRole('option', { name: /^Accuracy/, hidden: true }));
    // As it is measured already it is offered in another way.
    expect(project().training.metrics).toEqual(['accuracy', { kind: 'accuracy', average: 'macro' }]);
    await userEvent.click(screen.getByRole('button', { name: 'Accuracy macro' }));
    await userEvent.type(screen.getByLabelText('Top k'), '2');
    expect(project().training.metrics[1]).toEqual({ kind: 'accuracy', average: 'macro', top_k: 2 });
    await userEvent.click(screen.getByRole('button', { name: 'Remove Accuracy' }));
    expect(project().training.metrics).toHaveLength(1);
    await userEvent.click(screen.getByRole('button', { name: /^Reset metrics/ }));
    expect(project().training).not.toHaveProperty('metrics');
  });

  test('before the start: what the import left out, and that the test part chooses', async () => {
    const image = raw(ramp(4 * 4 * 3), 4, 3).png();
    const images = await imageFolder({
      'train/a/1.png': image,
      'train/b/2.png': image,
      'train/b/3.png': Buffer.from('\x89PNG\r\n\x1a\n, cut off', 'latin1'),
      'test/a/4.png': image,
      'test/b/5.png': image,
    });
    const source = { kind: 'image_folder', path: images, on_bad: 'skip' };
    await open({ data: { source, split: { val: 'test' } }, model: { layers: [{ kind: 'Flatten' }] } });
    const { file, text } = useProjectState.getState();
    await client.engine.data.import({ file: file as string, text });
    showPage(<TrainPage />);
    const side = within(screen.getByRole('complementary', { name: 'Before you start' }));
    await side.findByText(/^1 sample could not be read and is left out/);
    expect(
      side.getByText('The test part validates, so it also picks the best checkpoint (by val_loss).'),
    ).toBeDefined();
    await userEvent.click(side.getByRole('button', { name: 'Show in Data' }));
  });

  test('before the start: what it takes, and how long an earlier run took', async () => {
    await digits();
    const summary = { parameters: 235_146, device: 'cpu', samples_per_second: 16_000 };
    useRuns.setState({
      list: [{ name: 'digits-mlp-003', folder: '/r', status: 'completed', summary: summary as never, notes: '' }],
    });
    showPage(<TrainPage />);
    const side = within(screen.getByRole('complementary', { name: 'Before you start' }));
    await side.findByText('about 500 ms');
    expect(side.getByText(/^From digits-mlp-003/).textContent).toContain('10 epochs would take about 5.0 s');
    expect(side.getByText('Fits')).toBeDefined();
    expect(side.getByText('Data is read: 10,000 samples')).toBeDefined();
    expect(side.getByRole('meter', { name: 'Estimated, batches of 256' }).getAttribute('aria-valuetext')).toMatch(
      /MiB of 8.0 GiB$/,
    );
  });
});
