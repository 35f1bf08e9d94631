/** The number formats that a device calculates with, as choices with what speaks against each. Pure. */
import { choosePrecision, type PrecisionChoice, precisionsOn } from '../../engine/contract/device-choice.ts';
import type { NativeDevice } from '../../engine/contract/native.ts';
import { type Precision, precisions } from '../../engine/contract/training-numbers.ts';
import type { ChoiceOption } from '../ui/index.ts';

const hints: Record<Precision, string> = {
  fp32: '32-bit floats',
  bf16: '16 bits, the range of fp32',
  fp16: '16 bits, the loss is scaled',
};

export function precisionOptions(device: NativeDevice | null): ChoiceOption[] {
  const here = device
    ? precisionsOn(device)
    : precisions.map((value): { value: Precision; note?: string } => ({ value }));
  const auto = device && choosePrecision('auto', device);
  return [
    ...here.map(({ value, note }) => ({ value, label: value, hint: hints[value], help: note })),
    {
      value: 'auto',
      label: 'auto',
      hint: 'what the device runs best',
      help: auto ? `Here ${auto.value}${auto.reason === undefined ? '' : `: ${auto.reason}`}` : undefined,
    },
  ];
}

/** What a run would take; null where `auto` waits for the device. */
export function usedPrecision(asked: Precision | 'auto', device: NativeDevice | null): PrecisionChoice | null {
  if (asked !== 'auto') return { value: asked };
  return device && choosePrecision(asked, device);
}
