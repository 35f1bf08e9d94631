/** The parameter that says what the targets of arrays are, for every kind of source that reads arrays. */
import { z } from 'zod';
import { field } from '../fields.ts';
import type { TargetKind } from '../tensors.ts';

/** "input": what an autoencoder has to give. */
export type ArrayTarget = TargetKind | 'input';

export const arrayTargets = [
  'class',
  'multi_label',
  'vector',
  'mask',
  'next_token',
  'input',
] as const satisfies ArrayTarget[];

export function targetField(help: string) {
  return field(z.enum(arrayTargets).nullable(), {
    label: 'Targets',
    help: `${help} "next_token": none, the inputs are rows of tokens, one more than the network reads. "input": none, the network has to give its input again (autoencoder).`,
    control: 'choice',
    expected: `null or one of ${arrayTargets.map((kind) => `"${kind}"`).join(', ')}`,
    choices: arrayTargets,
    default: null,
    absent: 'by the files',
  });
}
