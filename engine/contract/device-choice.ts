/** Which device and precision a run uses, and why: asked by the trainer, and by the window before there is a run. */
import { GradloomError } from './errors.ts';
import type { NativeDevice } from './native.ts';

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
      hint: `${there} \`gradloom doctor\` says what is missing.`,
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

export function choosePrecision(asked: 'fp32' | 'auto'): Choice {
  return asked === 'fp32' ? { value: 'fp32' } : { value: 'fp32', reason: 'this version trains in fp32 only' };
}
