/** What layers' training reads like: placeholders, the folded section, the card. */
import { describe, expect, test } from 'vitest';
import { planProject } from '../../../engine/contract/plan.ts';
import type { JsonObject } from '../../../engine/contract/report.ts';
import { effectiveTrain, trainPlaceholders, trainSummary } from '../../../renderer/build/train-words.ts';
import { summaryOf } from '../../../renderer/build/words.ts';
import { stackView } from '../../../renderer/state/stack-rows.ts';
import { inheritedTrain } from '../../../renderer/state/stack-train.ts';

function effectiveOf(layers: JsonObject[], optimizer: JsonObject = { kind: 'AdamW' }) {
  const project = {
    gradloom: 1,
    data: { source: { kind: 'random', shape: [4], classes: 2, samples: 20 } },
    model: { layers },
    training: { optimizer },
  };
  const plan = planProject(project, null);
  const rows = stackView(project, plan, [], new Set()).rows.filter((row) => row.type === 'layer');
  return {
    rows,
    effective: rows.map((row) => effectiveTrain(row, plan, inheritedTrain(project, row.path))),
  };
}

describe('a layer', () => {
  test('that says nothing is trained as the network, told with its values', () => {
    const { rows, effective } = effectiveOf([{ kind: 'Linear', out_features: 2 }]);
    expect(trainPlaceholders(effective, new Set())).toEqual({ lr: '0.001 (network)', weight_decay: '0.01 (network)' });
    expect(trainSummary([rows[0]?.layer], effective)).toBe('as the network');
  });

  test('takes over what its block says', () => {
    const { rows, effective } = effectiveOf([
      { kind: 'Residual', layers: [{ kind: 'Linear', out_features: 4 }], train: { lr: 0.1, freeze: true } },
      { kind: 'Linear', out_features: 2, train: { lr: 0.5 } },
    ]);
    const inner = effective.slice(1, 2);
    expect(inner[0]).toMatchObject({ freeze: true, handed: true });
    expect(trainPlaceholders(inner, new Set()).lr).toBe('0.1 (block)');
    expect(rows.map(({ frozen }) => frozen)).toEqual([true, true, false]);
    expect(trainSummary([rows[2]?.layer], effective.slice(2))).toBe('lr 0.5');
    expect(trainPlaceholders(effective.slice(2), new Set()).lr).toBe('0.001 (network)');
    expect(summaryOf(rows[2]?.layer as JsonObject)).toBe('2 outputs · lr 0.5');
  });
});

test('several layers tell what they have in common', () => {
  const { rows, effective } = effectiveOf(
    [
      { kind: 'Linear', out_features: 4, train: { freeze: true } },
      { kind: 'Linear', out_features: 2, train: { lr: 0.2 } },
    ],
    { kind: 'SGD', lr: 0.1 },
  );
  const layers = rows.map(({ layer }) => layer);
  expect(trainSummary(layers, effective)).toBe('1 of 2 frozen, some with values of their own');
  expect(trainPlaceholders(effective, new Set(['lr'])).lr).toBe('they differ');
});
