/** The `idx` source: files in the format of MNIST. */
import { z } from 'zod';
import { field } from '../fields.ts';
import type { TargetKind } from '../tensors.ts';
import type { SourceKind } from './kind.ts';

/** A folder of IDX files, or one of them. Relative paths are relative to the project file. `target` "input": what an autoencoder has to give. */
export interface IdxSource {
  kind: 'idx';
  path: string;
  target?: TargetKind | 'input' | null;
}

const idxTargets = ['class', 'multi_label', 'vector', 'mask', 'next_token', 'input'] as const;
const idxParams = {
  path: field(z.string().min(1), {
    label: 'Folder',
    help: 'A folder with the IDX files of images and labels (MNIST and kin), gzip or not.',
    control: 'path',
    expected: 'a path',
  }),
  target: field(z.enum(idxTargets).nullable(), {
    label: 'Targets',
    help: 'What the label files hold. null: floats are vectors; whole numbers are one class a sample (N), labels (N×K of zeros and ones), or a class at each position (N×H×W and others). "next_token": none, the inputs are rows of tokens, one more than the network reads. "input": none, the network has to give its input again (autoencoder).',
    control: 'choice',
    expected: `null or one of ${idxTargets.map((kind) => `"${kind}"`).join(', ')}`,
    choices: idxTargets,
    default: null,
    absent: 'by the files',
  }),
};

export const idxKinds: readonly SourceKind[] = [
  {
    kind: 'idx',
    label: 'IDX files',
    help: 'The format of MNIST: images and labels, in a training part and perhaps a test part.',
    params: idxParams,
  },
];
