/** The `cifar` source: CIFAR-10 and CIFAR-100 in their binary version. */
import { z } from 'zod';
import { choice, field } from '../fields.ts';
import type { SourceKind } from './kind.ts';

export interface CifarSource {
  kind: 'cifar';
  path: string;
  /** Of CIFAR-100; CIFAR-10 has one label each. */
  labels: 'fine' | 'coarse';
}

const cifarParams = {
  path: field(z.string().min(1), {
    label: 'Folder',
    help: 'The folder of the binary version (cifar-10-batches-bin or cifar-100-binary), one above it, or the archive itself (.tar.gz, .tar).',
    control: 'path',
    expected: 'a path',
  }),
  labels: choice(['fine', 'coarse'], {
    label: 'Labels',
    help: 'Of CIFAR-100: the 100 classes, or the 20 that they are grouped in. CIFAR-10 has one label each.',
    default: 'fine',
  }),
};

export const cifarKinds: readonly SourceKind[] = [
  {
    kind: 'cifar',
    label: 'CIFAR',
    help: 'CIFAR-10 or CIFAR-100: colour images of 32 × 32 pixels, in the binary version.',
    params: cifarParams,
    images: 'arrays',
  },
];
