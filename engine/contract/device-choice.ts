/** Which device and precision a run uses, and why: asked by the trainer, and by the window before there is a run. */
import { GradloomError } from './errors.ts';
import type { NativeDevice } from './native.ts';
import { type Precision, slowOnCpu } from './training-numbers.ts';

export interface Choice {
  value: string;
  /** Only where `auto` chose. */
  reason?: string;
}

/** What `auto` prefers, best first; a back end that none of us knows comes before the CPU. */
const preference = ['cuda', 'mps', 'xpu'];
const known = [...preference, 'cpu'];

const typeOf = (name: string): string => name.split(':')[0] as string;

/** @throws GradloomError DEVICE_UNKNOWN, DEVICE_UNAVAILABLE */
export function chooseDevice(asked: string, devices: NativeDevice[]): Choice {
  if (asked === 'auto') return chooseBest(devices);
  const exact = devices.find(({ name }) => name === asked);
  const first = asked.includes(':') ? undefined : devices.find(({ name }) => typeOf(name) === asked);
  const found = exact ?? first;
  if (found) return { value: found.name };
  const there = `There is ${devices.map(({ name, label }) => `${name} (${label})`).join(', ')}.`;
  const type = typeOf(asked);
  if (known.includes(type) || devices.some(({ name }) => typeOf(name) === type)) {
    throw new GradloomError('DEVICE_UNAVAILABLE', `The device ${asked} is not available`, {
      hint: there,
      path: 'training.device',
    });
  }
  throw new GradloomError('DEVICE_UNKNOWN', `There is no kind of device called ${JSON.stringify(asked)}`, {
    hint: `${there} Or \`auto\`.`,
    path: 'training.device',
  });
}

function chooseBest(devices: NativeDevice[]): Choice {
  const rank = ({ name }: NativeDevice) => {
    const at = preference.indexOf(typeOf(name));
    return typeOf(name) === 'cpu' ? preference.length + 1 : at < 0 ? preference.length : at;
  };
  const best = [...devices].sort((a, b) => rank(a) - rank(b))[0];
  if (!best || typeOf(best.name) === 'cpu') return { value: 'cpu', reason: 'no accelerator was found' };
  return { value: best.name, reason: `${best.label} was found` };
}

export interface PrecisionChoice extends Choice {
  value: Precision;
}

/** `auto`: bf16 where the device has instructions for it, else fp16 on CUDA, else fp32. */
export function choosePrecision(asked: Precision | 'auto', device: NativeDevice): PrecisionChoice {
  if (asked !== 'auto') return { value: asked };
  const { name, label, half } = device;
  const has = (format: string) => `${label} has instructions for ${format}`;
  if (half.includes('bf16')) return { value: 'bf16', reason: has('bf16') };
  const lacks = `${label} has no instructions for bf16`;
  if (typeOf(name) === 'cuda' && half.includes('fp16')) return { value: 'fp16', reason: `${lacks}, but for fp16` };
  return { value: 'fp32', reason: lacks };
}

/** What a device can train with, as a person chooses it; `note`: why one would rather not. */
export function precisionsOn(device: NativeDevice): { value: Precision; note?: string }[] {
  const slow = (format: 'bf16' | 'fp16'): { note?: string } => {
    if (device.half.includes(format)) return {};
    if (format === 'fp16' && typeOf(device.name) === 'cpu') return { note: slowOnCpu.message };
    return { note: `${device.label} has no instructions for ${format}: it is slow` };
  };
  return [{ value: 'fp32' }, { value: 'bf16', ...slow('bf16') }, { value: 'fp16', ...slow('fp16') }];
}
