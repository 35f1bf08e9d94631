/** The `pack` source: data that were imported into a folder of their own. */
import { z } from 'zod';
import { field } from '../fields.ts';
import type { SourceKind } from './kind.ts';

/** A folder made by `data import PATH --out DIR`. A relative path is relative to the project file. */
export interface PackSource {
  kind: 'pack';
  path: string;
}

export const packKinds: readonly SourceKind[] = [
  {
    kind: 'pack',
    label: 'Imported data',
    light: true,
    help: 'A folder that an import made: read as it is, without its original files.',
    params: {
      path: field(z.string().min(1), {
        label: 'Folder',
        help: 'A folder made by an import, with its pack.json.',
        control: 'path',
        expected: 'a path',
      }),
    },
  },
];
