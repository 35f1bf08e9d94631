/**
 * A restricted unpickler: plain values, containers and tensor references, nothing else. It builds data only, never calls anything, does not
 * recurse and reads each byte once, so hostile files can neither run code nor hang it. Unknown Python names are refused by name.
 */

export class PickleError extends Error {}

/** A named Python object; only those of `allowed` are ever made. */
interface Global {
  global: string;
}

export interface StorageReference {
  storageClass: string;
  /** The record that holds the bytes: `data/<key>`. */
  key: string;
  elements: number;
}

/** A view into a storage; sizes, strides and offset in elements, checked to be whole numbers ≥ 0. */
export class TensorReference {
  readonly storage: StorageReference;
  readonly offset: number;
  readonly shape: number[];
  readonly strides: number[];
  constructor(storage: StorageReference, offset: number, shape: number[], strides: number[]) {
    this.storage = storage;
    this.offset = offset;
    this.shape = shape;
    this.strides = strides;
  }
}

/** dict and OrderedDict; keys that are neither text nor numbers are refused. */
export type PickleDict = Map<string | number, unknown>;

const storageClass = /^torch\.[A-Za-z0-9]+Storage$/;
const allowed = new Set([
  'collections.OrderedDict',
  'torch.Size',
  'torch._utils._rebuild_tensor_v2',
  'torch._utils._rebuild_parameter',
  'torch.device',
]);
/** Dtypes may be mentioned (`torch.float32`); they stay names. */
const dtypeName = /^torch\.(b?float\d+|u?int\d+|bool|complex\d+)$/;

const mark = Symbol('mark');
/** Whole numbers longer than this are kept as opaque. */
const maxLongBytes = 8;
/** More dimensions than PyTorch has. */
const maxRank = 64;

type Instructions<Result> = { [opcode: number]: (reader: Unpickler) => Result };

/** Instructions that put one value on the stack. */
const makers: Instructions<unknown> = {
  40: () => mark, // MARK
  78: () => null, // NONE
  136: () => true, // NEWTRUE
  137: () => false, // NEWFALSE
  74: (reader) => reader.take(4).readInt32LE(), // BININT
  75: (reader) => reader.byte(), // BININT1
  77: (reader) => reader.take(2).readUInt16LE(), // BININT2
  138: (reader) => reader.long(reader.byte()), // LONG1
  139: (reader) => reader.long(reader.size()), // LONG4
  71: (reader) => reader.take(8).readDoubleBE(), // BINFLOAT
  88: (reader) => reader.take(reader.size()).toString('utf8'), // BINUNICODE
  140: (reader) => reader.take(reader.byte()).toString('utf8'), // SHORT_BINUNICODE
  84: (reader) => reader.take(reader.size()).toString('latin1'), // BINSTRING
  85: (reader) => reader.take(reader.byte()).toString('latin1'), // SHORT_BINSTRING
  66: (reader) => reader.take(reader.size()), // BINBYTES
  67: (reader) => reader.take(reader.byte()), // SHORT_BINBYTES
  125: () => new Map(), // EMPTY_DICT
  93: () => [], // EMPTY_LIST
  41: () => [], // EMPTY_TUPLE
  143: () => new Set(), // EMPTY_SET
  108: (reader) => reader.popMark(), // LIST
  116: (reader) => reader.popMark(), // TUPLE
  133: (reader) => reader.popMany(1), // TUPLE1
  134: (reader) => reader.popMany(2), // TUPLE2
  135: (reader) => reader.popMany(3), // TUPLE3
  100: (reader) => setItems(new Map(), reader.popMark()), // DICT
  104: (reader) => reader.recall(reader.byte()), // BINGET
  106: (reader) => reader.recall(reader.size()), // LONG_BINGET
  99: (reader) => findGlobal(reader.line(), reader.line()), // GLOBAL
  147: (reader) => findGlobal(...(reader.popMany(2) as [unknown, unknown])), // STACK_GLOBAL
  81: (reader) => storageReference(reader.pop()), // BINPERSID
  82: (reader) => reader.call(...(reader.popMany(2) as [unknown, unknown])), // REDUCE
};

/** Instructions that put nothing on the stack. */
const actions: Instructions<void> = {
  128: (reader) => reader.checkProtocol(reader.byte()), // PROTO
  149: (reader) => void reader.take(8), // FRAME
  48: (reader) => void reader.pop(), // POP
  49: (reader) => void reader.popMark(), // POP_MARK
  97: (reader) => appendTo([reader.pop()], reader.top()), // APPEND
  101: (reader) => appendTo(reader.popMark(), reader.top()), // APPENDS
  144: (reader) => addTo(reader.popMark(), reader.top()), // ADDITEMS
  115: (reader) => setItemsOf(reader.popMany(2), reader.top()), // SETITEM
  117: (reader) => setItemsOf(reader.popMark(), reader.top()), // SETITEMS
  113: (reader) => reader.remember(reader.byte()), // BINPUT
  114: (reader) => reader.remember(reader.size()), // LONG_BINPUT
  148: (reader) => reader.remember(null), // MEMOIZE
  98: (reader) => dropAttributes(reader.pop(), reader.top()), // BUILD
};

export function unpickle(bytes: Buffer): unknown {
  return new Unpickler(bytes).run();
}

class Unpickler {
  readonly #bytes: Buffer;
  #at = 0;
  readonly stack: unknown[] = [];
  readonly #memo = new Map<number, unknown>();
  /** Pairs that dicts may still be made of: each needs some bytes of its own, so that a recalled list cannot be copied without end. */
  #pairsLeft: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#pairsLeft = bytes.length;
  }

  run(): unknown {
    for (;;) {
      const opcode = this.byte();
      if (opcode === 0x2e) return this.pop(); // STOP
      this.#execute(opcode);
    }
  }

  #execute(opcode: number): void {
    const make = makers[opcode];
    if (make) {
      this.stack.push(make(this));
      return;
    }
    const act = actions[opcode];
    if (!act) {
      const shown = `0x${opcode.toString(16)}`;
      throw new PickleError(`holds the pickle instruction ${shown}, which a state_dict does not need`);
    }
    act(this);
  }

  take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new PickleError('is cut short');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  byte(): number {
    return this.take(1)[0] as number;
  }

  size(): number {
    return this.take(4).readUInt32LE();
  }

  checkProtocol(protocol: number): void {
    if (protocol > 5) throw new PickleError('is pickled in a newer protocol than 5');
  }

  line(): string {
    const end = this.#bytes.indexOf(0x0a, this.#at);
    if (end < 0 || end - this.#at > 1000) throw new PickleError('is cut short');
    const line = this.take(end - this.#at).toString('utf8');
    this.#at++;
    return line;
  }

  long(length: number): number | null {
    const bytes = this.take(length);
    if (length > maxLongBytes) return null;
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number);
    return Number(BigInt.asIntN(8 * length, value));
  }

  pop(): unknown {
    if (this.stack.length === 0) throw new PickleError('is damaged: its stack runs empty');
    const value = this.stack.pop();
    if (value === mark) throw new PickleError('is damaged: a mark stands where a value should');
    return value;
  }

  popMany(count: number): unknown[] {
    const items: unknown[] = [];
    for (let i = 0; i < count; i++) items.unshift(this.pop());
    return items;
  }

  popMark(): unknown[] {
    const at = this.stack.lastIndexOf(mark);
    if (at < 0) throw new PickleError('is damaged: a mark is missing');
    const items = this.stack.splice(at);
    items.shift();
    return items;
  }

  top(): unknown {
    const value = this.stack.at(-1);
    if (value === undefined || value === mark) throw new PickleError('is damaged: its stack runs empty');
    return value;
  }

  /** `null`: under the next free number. */
  remember(index: number | null): void {
    this.#memo.set(index ?? this.#memo.size, this.top());
  }

  recall(index: number): unknown {
    if (!this.#memo.has(index)) throw new PickleError('is damaged: it recalls what it never stored');
    return this.#memo.get(index);
  }

  call(callable: unknown, args: unknown): unknown {
    const name = globalName(callable);
    if (!Array.isArray(args)) throw new PickleError('is damaged: a call without arguments');
    switch (name) {
      case 'collections.OrderedDict': {
        const pairs = args[0] ?? [];
        this.#pairsLeft -= Array.isArray(pairs) ? pairs.length : Number.POSITIVE_INFINITY;
        if (this.#pairsLeft < 0) throw new PickleError('makes an OrderedDict of something that is no list');
        return setItems(
          new Map(),
          (pairs as unknown[]).flatMap((pair) => (Array.isArray(pair) && pair.length === 2 ? pair : [pair])),
        );
      }
      case 'torch.Size':
        return args[0];
      case 'torch.device':
        return null;
      case 'torch._utils._rebuild_parameter':
        if (!(args[0] instanceof TensorReference)) throw new PickleError('has a parameter that is no tensor');
        return args[0];
      case 'torch._utils._rebuild_tensor_v2':
        return tensor(args);
      default:
        throw new PickleError(name === '' ? 'calls something that has no name' : `calls ${name}, which is not read`);
    }
  }
}

function setItems(dict: PickleDict, items: unknown[]): PickleDict {
  if (items.length % 2 === 1) throw new PickleError('is damaged: a key has no value');
  for (let i = 0; i < items.length; i += 2) {
    const key = items[i];
    if (typeof key !== 'string' && typeof key !== 'number') throw new PickleError('has keys that are no text');
    dict.set(key, items[i + 1]);
  }
  return dict;
}

function setItemsOf(items: unknown[], dict: unknown): void {
  if (!(dict instanceof Map)) throw new PickleError('sets an item of something that is no dict');
  setItems(dict, items);
}

function appendTo(items: unknown[], list: unknown): void {
  if (!Array.isArray(list)) throw new PickleError('appends to something that is no list');
  for (const item of items) list.push(item);
}

function addTo(items: unknown[], set: unknown): void {
  if (!(set instanceof Set)) throw new PickleError('adds to something that is no set');
  for (const item of items) set.add(item);
}

/** Attributes of an OrderedDict, such as a state_dict's `_metadata`, are of no use here. */
function dropAttributes(_state: unknown, dict: unknown): void {
  if (!(dict instanceof Map)) throw new PickleError('sets attributes of an object');
}

function findGlobal(module: unknown, member: unknown): Global {
  if (typeof module !== 'string' || typeof member !== 'string') throw new PickleError('names an object by no text');
  const name = `${module}.${member}`;
  if (!allowed.has(name) && !storageClass.test(name) && !dtypeName.test(name)) {
    throw new PickleError(`holds the Python object ${name.slice(0, 200)}, which is not read`);
  }
  return { global: name };
}

function globalName(value: unknown): string {
  return typeof value === 'object' && value !== null && 'global' in value ? String(value.global) : '';
}

function storageReference(id: unknown): StorageReference {
  const [tag, type, key, , elements] = Array.isArray(id) ? id : [];
  const name = globalName(type);
  if (tag !== 'storage' || !storageClass.test(name) || typeof key !== 'string' || !isCount(elements)) {
    throw new PickleError('refers to a storage in an unknown way');
  }
  return { storageClass: name.slice('torch.'.length), key, elements };
}

function tensor([storage, offset, shape, strides]: unknown[]): TensorReference {
  const isStorage = typeof storage === 'object' && storage !== null && 'storageClass' in storage;
  if (!isStorage || !isCount(offset) || !isCounts(shape) || !isCounts(strides) || shape.length !== strides.length) {
    throw new PickleError('describes a tensor wrongly');
  }
  return new TensorReference(storage as StorageReference, offset, [...shape], [...strides]); // lists may be changed later
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= maxRank && value.every(isCount);
}
