/** The table of metrics, by torchmetrics' names. */

import { type Row, tableOf } from './table.ts';
import type { TargetType } from './tensors.ts';

export interface MetricKind extends Row {
  target: TargetType['kind'];
  /** Which direction is better: decides the best checkpoint. */
  better: 'higher' | 'lower';
}

export const metricKinds: readonly MetricKind[] = [
  {
    kind: 'accuracy',
    label: 'Accuracy',
    help: 'Share of samples whose largest score is at the true class, 0 to 1.',
    params: {},
    target: 'class',
    better: 'higher',
  },
];

export const metrics = tableOf(metricKinds);
