/** Words of an export: what the certificate says, and the line that loads the file in PyTorch. Pure. */
import { exportFormats } from '../../engine/contract/exports.ts';
import { bytes, plural } from '../ui/format.ts';

/** What was read back from the written file and compared with the checkpoint. */
export function certificateLine(certificate: Readonly<Record<string, unknown>>): string {
  const { tensors, bytes: size, equal } = certificate;
  const parts = [
    ...(typeof tensors === 'number' ? [plural(tensors, 'tensor')] : []),
    ...(typeof size === 'number' ? [bytes(size)] : []),
  ];
  const what = parts.length > 0 ? `: ${parts.join(', ')}` : '';
  return equal === true ? `Read back and compared with the checkpoint${what}, equal byte for byte` : `Read back${what}`;
}

/** Python's text literal. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

export function loadingLine(format: string, file: string): string {
  return format === 'pt'
    ? `model.load_state_dict(torch.load(${quoted(file)}, weights_only=True))`
    : `model.load_state_dict(safetensors.torch.load_file(${quoted(file)}))`;
}

export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

export function exportName(run: string, format: string): string {
  return `${run}${exportFormats.get(format)?.extension ?? ''}`;
}
