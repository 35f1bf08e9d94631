/** The `npy` source: arrays that NumPy has written. */
import { z } from 'zod';
import { field, flag } from '../fields.ts';
import type { SourceKind } from './kind.ts';
import { type ArrayTarget, targetField } from './targets.ts';

export const arrayLayouts = ['channels_first', 'channels_last', 'as_is'] as const;

/** A `.npy` file, a `.npz` archive, or a folder of them; arrays are named as in the archive, or as their files without the ending. */
export interface NpySource {
  kind: 'npy';
  path: string;
  x?: string | null;
  y?: string | null;
  x_test?: string | null;
  y_test?: string | null;
  target?: ArrayTarget | null;
  layout?: (typeof arrayLayouts)[number] | null;
  tokens?: boolean;
}

function nameField(label: string, help: string) {
  return field(z.string().min(1).nullable(), {
    label,
    help: `${help} null: found by names such as x_train, images, y_test, labels, and by their counts.`,
    control: 'text',
    expected: 'the name of an array, or null',
    default: null,
    absent: 'by the names',
  });
}

const npyParams = {
  path: field(z.string().min(1), {
    label: 'File or folder',
    help: 'A .npz archive, a .npy file, or a folder of them.',
    control: 'path',
    expected: 'a path',
  }),
  x: nameField('Inputs', 'The array of the training inputs.'),
  y: nameField('Targets of the inputs', 'The array of the training targets.'),
  x_test: nameField('Test inputs', 'The array of the test inputs.'),
  y_test: nameField('Test targets', 'The array of the test targets.'),
  target: targetField(
    'What the target arrays hold. null: floats are vectors; whole numbers are one class a sample (N, N×1), labels (N×K of zeros and ones), or a class at each position; rows of zeros and a single 1 are classes.',
  ),
  layout: field(z.enum(arrayLayouts).nullable(), {
    label: 'Layout',
    help: 'How images lie in the arrays: N×C×H×W (channels_first), N×H×W×C (channels_last). "as_is": no images; every sample keeps its dims, such as N×length×features. null: 1, 3 or 4 at the end and not at the front are channels, and N×H×W has one channel.',
    control: 'choice',
    expected: `null or one of ${arrayLayouts.map((name) => `"${name}"`).join(', ')}`,
    choices: arrayLayouts,
    default: null,
    absent: 'by the sizes',
  }),
  tokens: flag({
    label: 'Inputs are tokens',
    help: 'The inputs are whole numbers that stand for tokens, for networks that begin with an Embedding.',
    default: false,
  }),
};

export const arrayKinds: readonly SourceKind[] = [
  {
    kind: 'npy',
    label: 'NumPy arrays',
    help: 'NPY files and NPZ archives: inputs and targets, in a training part and perhaps a test part.',
    params: npyParams,
  },
];
