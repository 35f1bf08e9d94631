/** The pickle of a plain state_dict (an OrderedDict of contiguous tensors), as `torch.save` writes it. */
import { elementTypes, type TensorSource } from './tensor-source.ts';

const op = {
  proto2: Buffer.from([0x80, 2]),
  mark: Buffer.from('('),
  tuple: Buffer.from('t'),
  emptyTuple: Buffer.from(')'),
  reduce: Buffer.from('R'),
  setItems: Buffer.from('u'),
  persistent: Buffer.from('Q'),
  false: Buffer.from([0x89]),
  stop: Buffer.from('.'),
};

/** The tensor at position i has its bytes in the record `data/i`. */
export function pickleStateDict(tensors: TensorSource[]): Buffer {
  const items = tensors.flatMap((tensor, i) => [string(tensor.name), tensorCall(tensor, i)]);
  return Buffer.concat([
    op.proto2,
    orderedDict(),
    ...(items.length > 0 ? [op.mark, ...items, op.setItems] : []),
    op.stop,
  ]);
}

function tensorCall({ dtype, shape }: TensorSource, index: number): Buffer {
  const count = shape.reduce((product, dim) => product * dim, 1);
  const strides: number[] = [];
  for (let axis = shape.length - 1, stride = 1; axis >= 0; axis--) {
    strides.unshift(stride);
    stride *= Math.max(1, shape[axis] as number);
  }
  const storage = global('torch', elementTypes[dtype].storage);
  const reference = tuple([string('storage'), storage, string(String(index)), string('cpu'), integer(count)]);
  const rebuild = global('torch._utils', '_rebuild_tensor_v2');
  const arguments_ = [
    Buffer.concat([reference, op.persistent]),
    integer(0),
    tuple(shape.map(integer)),
    tuple(strides.map(integer)),
    op.false, // requires_grad
    orderedDict(), // backward hooks
  ];
  return Buffer.concat([rebuild, tuple(arguments_), op.reduce]);
}

function orderedDict(): Buffer {
  return Buffer.concat([global('collections', 'OrderedDict'), op.emptyTuple, op.reduce]);
}

function global(module: string, name: string): Buffer {
  return Buffer.from(`c${module}\n${name}\n`);
}

function tuple(items: Buffer[]): Buffer {
  return items.length === 0 ? op.emptyTuple : Buffer.concat([op.mark, ...items, op.tuple]);
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const head = Buffer.alloc(5);
  head.write('X', 'latin1');
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function integer(value: number): Buffer {
  if (value < 2 ** 31) {
    const out = Buffer.alloc(5);
    out.write('J', 'latin1');
    out.writeInt32LE(value, 1);
    return out;
  }
  const out = Buffer.alloc(10);
  out.writeUInt8(0x8a, 0); // LONG1
  out.writeUInt8(8, 1);
  out.writeBigInt64LE(BigInt(value), 2);
  return out;
}
