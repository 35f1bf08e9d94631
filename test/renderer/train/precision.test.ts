/** Number formats as choices, by what a device has. */
import { expect, test } from 'vitest';
import type { NativeDevice } from '../../../engine/contract/native.ts';
import { precisionOptions, usedPrecision } from '../../../renderer/train/precision-options.ts';

const device = (name: string, half: NativeDevice['half']): NativeDevice => ({
  name,
  label: name === 'cpu' ? 'A processor' : 'A GPU',
  memory_total: null,
  memory_free: null,
  capability: null,
  half,
});

test('every format that a device runs is offered, with what speaks against it', () => {
  const help = Object.fromEntries(precisionOptions(device('cpu', [])).map(({ value, help }) => [value, help]));
  expect(help.fp32).toBeUndefined();
  expect(help.bf16).toContain('no instructions for bf16');
  expect(help.fp16).toContain('far more slowly');
  expect(help.auto).toContain('Here fp32');
  expect(
    precisionOptions(device('cuda:0', ['bf16', 'fp16'])).every(({ help }) => !help || help.startsWith('Here')),
  ).toBe(true);
});

test('auto is told once the device is known', () => {
  expect(usedPrecision('auto', null)).toBeNull();
  expect(usedPrecision('auto', device('cuda:0', ['fp16']))?.value).toBe('fp16');
  expect(usedPrecision('bf16', null)).toEqual({ value: 'bf16' });
  expect(precisionOptions(null).map(({ value }) => value)).toEqual(['fp32', 'bf16', 'fp16', 'auto']);
});
