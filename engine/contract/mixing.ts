/** MixUp and CutMix: batches whose samples are blends, with probabilities for targets; what they need of data and loss. */
import { number } from './fields.ts';
import type { ResolvedProject } from './project-types.ts';
import { type JsonObject, type Place, type Report, removeEdit, setEdit } from './report.ts';
import type { DataFacts } from './tensors.ts';

const alpha = (standard: number) =>
  number({
    label: 'Alpha',
    help: 'Of the Beta distribution that shares are drawn from: small values mostly leave one sample nearly whole, 1 makes all shares alike.',
    above: 0,
    default: standard,
  });

/** torchvision's default for both is 1; the papers train with 0.2 for MixUp. */
export const mixingFields = {
  mixup: { alpha: alpha(0.2) },
  cutmix: { alpha: alpha(1) },
} as const;
export const mixingKeys = ['mixup', 'cutmix'] as const;
type MixingKey = (typeof mixingKeys)[number];

export interface ResolvedMixing {
  alpha: number;
}

/** Absent and null: not mixed. */
export function examineMixing(
  training: JsonObject,
  place: Place,
  report: Report,
): { [key in MixingKey]: ResolvedMixing | null } {
  const one = (key: MixingKey) => {
    const value = training[key];
    if (value === undefined || value === null) return null;
    const at = [...place, key];
    const given = report.object(value, at, key);
    report.unknownKeys(given, Object.keys(mixingFields[key]), at);
    return report.fields(given, mixingFields[key], at).values;
  };
  return { mixup: one('mixup'), cutmix: one('cutmix') };
}

/** Mixed targets are probabilities of classes, which CrossEntropyLoss alone compares; and what is mixed must be numbers, for CutMix an image. */
export function checkMixing(project: ResolvedProject, facts: DataFacts, report: Report): void {
  const { loss, ...training } = project.training;
  for (const key of mixingKeys) {
    if (training[key] === null) continue;
    const at = ['training', key];
    const name = key === 'mixup' ? 'MixUp' : 'CutMix';
    const off = { label: `Train without ${name}`, edits: [removeEdit(at)] };
    const { dims, dtype } = facts.input;
    if (facts.target.kind !== 'class') {
      const message = `${name} makes probabilities of classes, but the targets of this data are no single classes`;
      report.error('TARGET_MISMATCH', at, message, 'Train without it.', [off]);
    } else if (loss.kind !== 'CrossEntropyLoss') {
      const message = `${name} makes probabilities of classes, which ${loss.kind} cannot compare with`;
      const use = {
        label: 'Use CrossEntropyLoss',
        edits: [setEdit(['training', 'loss'], { kind: 'CrossEntropyLoss' })],
      };
      report.error('TARGET_MISMATCH', at, message, 'Use CrossEntropyLoss, or train without it.', [use, off]);
    } else if (Number(loss.args.ignore_index) >= 0) {
      const message = `${name} makes probabilities of classes, of which none can be ignored as ignore_index says`;
      const none = { label: 'Ignore no class', edits: [removeEdit(['training', 'loss', 'ignore_index'])] };
      report.error('TARGET_MISMATCH', at, message, 'Ignore no class, or train without it.', [none, off]);
    }
    if (dtype !== 'float32') {
      const message = `${name} blends numbers, but the data holds integers (${dtype})`;
      report.error('WRONG_DTYPE', at, message, 'Train without it.', [off]);
    } else if (key === 'cutmix' && dims.length !== 3) {
      const message = `CutMix pastes a box of one image into another, but the samples [${dims.join(', ')}] are no images`;
      const fixes = [...(training.mixup === null ? [useMixUp] : []), off];
      report.error('WRONG_RANK', at, message, 'Use MixUp, which blends whole samples, or train without it.', fixes);
    }
  }
}

const useMixUp = {
  label: 'Use MixUp instead',
  edits: [removeEdit(['training', 'cutmix']), setEdit(['training', 'mixup'], {})],
};
