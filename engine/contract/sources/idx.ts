/** The `idx` source: files in the format of MNIST. */
import { z } from 'zod';
import { field } from '../fields.ts';
import type { SourceKind } from './kind.ts';
import { type ArrayTarget, targetField } from './targets.ts';

/** A folder of IDX files, or one of them. Relative paths are relative to the project file. */
export interface IdxSource {
  kind: 'idx';
  path: string;
  target?: ArrayTarget | null;
}

const idxParams = {
  path: field(z.string().min(1), {
    label: 'Folder',
    help: 'A folder with the IDX files of images and labels (MNIST and kin), gzip or not.',
    control: 'path',
    expected: 'a path',
  }),
  target: targetField(
    'What the label files hold. null: floats are vectors; whole numbers are one class a sample (N), labels (N×K of zeros and ones), or a class at each position (N×H×W and others).',
  ),
};

export const idxKinds: readonly SourceKind[] = [
  {
    kind: 'idx',
    label: 'IDX files',
    light: true,
    help: 'The format of MNIST: images and labels, in a training part and perhaps a test part.',
    params: idxParams,
    images: 'arrays',
  },
];
