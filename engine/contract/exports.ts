/** The table of formats in which the weights leave the studio. */
import { type Row, tableOf } from './table.ts';

export interface ExportKind extends Row {
  /** Of the file written, with the dot. */
  extension: string;
}

export const exportKinds: readonly ExportKind[] = [
  {
    kind: 'safetensors',
    label: 'safetensors',
    help: 'The tensors by name, with the project in the metadata; read by PyTorch and many others.',
    params: {},
    extension: '.safetensors',
  },
  {
    kind: 'pt',
    label: 'PyTorch state_dict',
    help: 'Loads with torch.load(weights_only=True) and load_state_dict(strict=True).',
    params: {},
    extension: '.pt',
  },
];

export const exportFormats = tableOf(exportKinds);
