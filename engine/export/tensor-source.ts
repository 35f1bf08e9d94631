/** A tensor in a weights file, whatever the format: what readers answer and writers take. Bytes are little-endian and contiguous. */
import { createHash } from 'node:crypto';
import { GradloomError } from '../contract/errors.ts';

/** Element types by their names in safetensors files, with their size and PyTorch's storage class. */
export const elementTypes = {
  F64: { bytes: 8, storage: 'DoubleStorage' },
  F32: { bytes: 4, storage: 'FloatStorage' },
  F16: { bytes: 2, storage: 'HalfStorage' },
  BF16: { bytes: 2, storage: 'BFloat16Storage' },
  I64: { bytes: 8, storage: 'LongStorage' },
  I32: { bytes: 4, storage: 'IntStorage' },
  I16: { bytes: 2, storage: 'ShortStorage' },
  I8: { bytes: 1, storage: 'CharStorage' },
  U8: { bytes: 1, storage: 'ByteStorage' },
  BOOL: { bytes: 1, storage: 'BoolStorage' },
} as const;
export type ElementName = keyof typeof elementTypes;

export interface TensorSource {
  name: string;
  dtype: ElementName;
  shape: number[];
  bytes: number;
  /** Reads the tensor's bytes anew at each call. */
  chunks(): AsyncIterable<Uint8Array>;
}

export function isElementName(name: unknown): name is ElementName {
  return typeof name === 'string' && Object.hasOwn(elementTypes, name);
}

export function weightsError(
  path: string,
  what: string,
  hint = 'Write or fetch the file again.',
  cause?: unknown,
): GradloomError {
  return new GradloomError('WEIGHTS_FORMAT', `${path} ${what}.`, {
    hint,
    path,
    ...(cause === undefined ? {} : { cause }),
  });
}

export async function digest(tensor: TensorSource): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of tensor.chunks()) hash.update(chunk);
  return hash.digest('hex');
}

/** Prefixes that wrappers put before every name: `DataParallel`, `torch.compile`. */
const wrappers = ['module.', '_orig_mod.'];

/** The tensors under the names they have without a wrapper. */
export function unwrapNames(tensors: TensorSource[]): TensorSource[] {
  const prefix = wrappers.find((each) => tensors.length > 0 && tensors.every(({ name }) => name.startsWith(each)));
  if (prefix === undefined) return tensors;
  return unwrapNames(tensors.map((tensor) => ({ ...tensor, name: tensor.name.slice(prefix.length) })));
}
