/** What an autopsy offers: fitting what was found, the likeliest first, and as edits that the project takes. */
import { describe, expect, test } from 'vitest';
import { losses } from '../../engine/contract/losses.ts';
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { editProject, readProject } from '../../engine/contract/project.ts';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { type Finding, remediesFor } from '../../engine/runs/remedies.ts';

const facts: DataFacts = {
  input: { dims: [1, 4, 4], dtype: 'float32' },
  target: { kind: 'class', classes: ['a', 'b', 'c'], counts: [200, 200, 200] },
  parts: { train: 600 },
};

interface Changes {
  training?: Record<string, unknown>;
  layers?: object[];
  transforms?: object[];
}

function planned({ training, layers, transforms }: Changes = {}): { text: string; plan: Plan } {
  const text = JSON.stringify({
    gradloom: 1,
    name: 'small',
    data: { source: { kind: 'idx', path: '/data' }, transforms: transforms ?? [], loader: { batch_size: 32 } },
    model: {
      layers: layers ?? [
        { kind: 'Conv2d', out_channels: 4, kernel_size: 3 },
        { kind: 'InstanceNorm2d', eps: 0 },
        { kind: 'Flatten' },
        { kind: 'Linear', out_features: 3 },
      ],
    },
    training: { optimizer: { kind: 'Adam', lr: 0.02 }, ...training },
  });
  return { text, plan: planProject(readProject(text).project ?? {}, facts) };
}

const found = (changes: Partial<Finding> = {}): Finding => ({
  phase: 'forward',
  layer: '3',
  kind: 'Linear',
  name: null,
  place: 'model.layers.3',
  tensor: null,
  values: { elements: 96, nan: 3, positive_infinity: 0, negative_infinity: 0, min: -2, max: 2 },
  step: 900,
  epoch: 2,
  batch: 4,
  batches: 20,
  part: 'train',
  samples: [1, 2, 3],
  faulty: [],
  lr: 0.02,
  precision: 'fp32',
  recent: { step: [], lr: [], loss: [] },
  batch_file: null,
  checkpoint: null,
  allIgnored: false,
  ...changes,
});

const labels = (finding: Finding, plan: Plan) => remediesFor(finding, plan).map(({ label }) => label);

describe('for a network whose values grow', () => {
  test('a smaller rate comes first, then clipping', () => {
    const { plan } = planned();
    expect(labels(found(), plan)).toEqual(['Set the learning rate to 0.002', 'Clip the gradient to a norm of 1']);
    const clipped = planned({ training: { clip_grad_norm: 1 } });
    expect(labels(found(), clipped.plan)).toEqual(['Set the learning rate to 0.002']);
  });

  test.each<[string, Partial<Finding>, RegExp]>([
    [
      'a loss that rose',
      { recent: { step: [1, 2, 3], lr: [1, 1, 1], loss: [1, 3, 'Infinity'] } },
      /had risen from 1 to Infinity over the last 3 steps/,
    ],
    [
      'a norm that grew',
      { recent: { step: [1, 2], lr: [1, 1], loss: [1, 1], grad_norm: [2, 60] } },
      /norm had grown from 2 to 60/,
    ],
    ['a rate far from the usual', {}, /0\.02 is 20 times what Adam usually takes/],
  ])('says the evidence: %s', (_name, changes, why) => {
    expect(remediesFor(found(changes), planned().plan)[0]?.why).toMatch(why);
  });

  test('a rate beyond reason goes to the usual one, not to its tenth', () => {
    const { plan } = planned({ training: { optimizer: { kind: 'Adam', lr: 5 } } });
    expect(labels(found(), plan)[0]).toBe('Set the learning rate to 0.001');
  });

  test('only fp16 ends early: there precision comes before the rate, unless the loss had risen for long', () => {
    const { plan } = planned();
    expect(labels(found({ precision: 'fp16' }), plan)[0]).toBe('Set precision to bf16');
    expect(labels(found({ precision: 'bf16' }), plan)).toEqual([
      'Set the learning rate to 0.002',
      'Clip the gradient to a norm of 1',
      'Set precision to fp32',
    ]);
    const recent = { step: [1, 2, 3], lr: [1, 1, 1], loss: [1, 30, 900] };
    expect(labels(found({ precision: 'fp16', recent }), plan)[0]).toBe('Set the learning rate to 0.002');
  });

  test('a schedule with a peak of its own has that lowered, from the rate that was reached', () => {
    const schedule = { kind: 'OneCycleLR', max_lr: 0.08 };
    const { plan } = planned({ training: { optimizer: { kind: 'SGD', lr: 0.01 }, schedule } });
    const [first] = remediesFor(found({ lr: 0.05, recent: { step: [1], lr: [0.02], loss: [1] } }), plan);
    expect(first).toMatchObject({
      label: "Set the schedule's max_lr to 0.005",
      why: expect.stringContaining("own max_lr (0.08), whatever the optimizer's lr is"),
      edits: [{ op: 'set', path: ['training', 'schedule', 'max_lr'], value: 0.005 }],
    });
    // Falling again it had been at its peak.
    const falling = found({ lr: 0.05, recent: { step: [1], lr: [0.07], loss: [1] } });
    expect(labels(falling, plan)[0]).toBe("Set the schedule's max_lr to 0.008");
    const absent = planned({ training: { schedule: { kind: 'OneCycleLR' } } });
    expect(labels(found(), absent.plan)[0]).toBe('Set the learning rate to 0.002');
  });

  test('in the first steps of a schedule a warm-up is offered', () => {
    const schedule = { kind: 'CosineAnnealingLR' };
    const { plan } = planned({ training: { schedule } });
    expect(labels(found({ step: 12 }), plan)).toContain('Warm up over 200 steps');
    expect(labels(found({ step: 900 }), plan)).not.toContain('Warm up over 200 steps');
    const warm = planned({ training: { schedule: { ...schedule, warmup: { steps: 5, start_factor: 0.1 } } } });
    expect(labels(found({ step: 12 }), warm.plan)).not.toContain('Warm up over 200 steps');
  });

  test('a normalisation that divides by 0 gets its eps back; large values a normalisation', () => {
    const norm = found({ layer: '1', kind: 'InstanceNorm2d', place: 'model.layers.1' });
    expect(labels(norm, planned().plan)).toContain('Set eps to 1e-5');
    const large = found({
      values: { elements: 9, nan: 0, positive_infinity: 1, negative_infinity: 0, min: -1, max: 1e30 },
    });
    expect(labels(large, planned().plan)).toContain('Add a normalisation layer before it');
  });
});

describe('for data', () => {
  test('a faulty sample is all that is offered', () => {
    const remedies = remediesFor(
      found({
        phase: 'input',
        faulty: [
          { sample: 7, column: 'target' },
          { sample: 9, column: 'input' },
        ],
      }),
      planned().plan,
    );
    expect(remedies).toMatchObject([
      {
        label: 'Mend or remove sample 7 of the train part, and 1 more in this batch',
        edits: [],
        why: expect.stringContaining('target is NaN'),
      },
    ]);
  });

  test('a transform that makes NaN of finite data can be removed', () => {
    const { plan } = planned({ transforms: [{ kind: 'Normalize', mean: [0], std: [1] }] });
    expect(remediesFor(found({ phase: 'input' }), plan)).toMatchObject([
      { label: 'Look at the transforms', edits: [{ op: 'remove', path: ['data', 'transforms', 0] }] },
    ]);
  });
});

describe('every edit', () => {
  const outputs = { BCELoss: 'Sigmoid', NLLLoss: 'LogSoftmax' } as const;
  const kinds = ['CrossEntropyLoss', ...Object.keys(outputs), 'PoissonNLLLoss'].filter((kind) => losses.has(kind));
  test.each(kinds)('is one that the project takes, with %s', (kind) => {
    const end = kind in outputs ? [{ kind: outputs[kind as keyof typeof outputs] }] : [];
    const layers = [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 3 }, ...end];
    const loss = { kind, ...(kind === 'PoissonNLLLoss' ? { log_input: false } : {}) };
    const { text, plan } = planned({ layers, training: { loss, schedule: { kind: 'StepLR', step_size: 3 } } });
    const errors = (project: string) =>
      planProject(readProject(project).project ?? {}, facts).problems.filter(({ severity }) => severity === 'error')
        .length;
    const before = errors(text);
    for (const phase of ['forward', 'loss', 'backward', 'update', 'parameters', 'input', 'evaluation'] as const) {
      for (const allIgnored of [false, true]) {
        for (const precision of ['fp32', 'fp16']) {
          const remedies = remediesFor(found({ phase, allIgnored, precision, step: 3 }), plan);
          expect(remedies.length).toBeGreaterThan(0);
          for (const { edits, label } of remedies) {
            expect(errors(editProject(text, edits)), label).toBeLessThanOrEqual(before);
          }
        }
      }
    }
  });
});
