/** The form of every kind of layer: each field says what it is, its bounds and PyTorch's default; fields without effect stay out. @vitest-environment jsdom */
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';
import { type FieldInfo, fieldInfo } from '../../../engine/contract/fields.ts';
import { inits } from '../../../engine/contract/inits.ts';
import { layerKind, layerKinds } from '../../../engine/contract/layers/index.ts';
import type { Shape } from '../../../engine/contract/report.ts';
import { SchemaForm } from '../../../renderer/ui/index.ts';
import { show } from './dom.tsx';

const elsewhere = ['layers', 'branches', 'shortcut'];

function formOf(kind: string, value: Record<string, unknown>, input: readonly number[] | null = null) {
  const onChange = vi.fn();
  show(<SchemaForm shape={layerKind(kind).params} value={value} input={input} onChange={onChange} />);
  return onChange;
}

/** Names of the fields in sight. */
const shown = () => [...document.querySelectorAll('[data-field]')].map((row) => row.getAttribute('data-field'));

function effective(params: Shape, given: Record<string, unknown>): [string, FieldInfo][] {
  const infos = Object.entries(params).map(([key, schema]): [string, FieldInfo] => [key, fieldInfo(schema)]);
  const all = Object.fromEntries(infos.map(([key, info]) => [key, key in given ? given[key] : info.default]));
  return infos.filter(
    ([key, info]) => !elsewhere.includes(info.control) && (key in given || (info.idle?.(all) ?? null) === null),
  );
}

describe('every field of every kind', () => {
  const cases = layerKinds.flatMap(({ kind, params, examples }) =>
    (examples.length > 0 ? examples : [{ params: {} }]).map((example, index) => ({
      name: `${kind} ${index}`,
      kind,
      params,
      given: example.params as Record<string, unknown>,
    })),
  );
  test.each(cases)('$name', ({ kind, params, given }) => {
    formOf(kind, given);
    const fields = effective(params, given);
    expect(shown()).toEqual(fields.map(([key]) => key));
    for (const [key, info] of fields) {
      const row = document.querySelector(`[data-field="${key}"]`) as HTMLElement;
      const told = row.querySelector('[id$="-help"]')?.textContent ?? '';
      expect(told).toContain(info.help);
      expect(told).toContain(`In code: ${key}.`);
      expect(told).not.toMatch(/undefined|\[object/);
      if ('default' in info) expect(told).toMatch(/Default: [^.]/);
      // What a switch or a choice can be is in sight.
      if (!['switch', 'choice', 'text'].includes(info.control)) {
        expect(told.toLowerCase()).toContain(info.expected.replace('null', 'none').toLowerCase());
      }
    }
  });
});

describe('a field that has no effect', () => {
  const cases: [string, Record<string, unknown>, string, Record<string, unknown>][] = [
    ['Conv2d', { out_channels: 4, kernel_size: 3 }, 'padding_mode', { padding: 1 }],
    ['ConvTranspose2d', { out_channels: 4, kernel_size: 3 }, 'output_padding', { stride: 2 }],
    ['AvgPool2d', { kernel_size: 2 }, 'count_include_pad', { padding: 1 }],
    ['BatchNorm2d', { track_running_stats: false }, 'momentum', { track_running_stats: true }],
    ['InstanceNorm2d', {}, 'bias', { affine: true }],
    ['LayerNorm', { elementwise_affine: false }, 'bias', { elementwise_affine: true }],
    ['Embedding', { num_embeddings: 4, embedding_dim: 4 }, 'norm_type', { max_norm: 1 }],
    ['LSTM', { hidden_size: 4 }, 'dropout', { num_layers: 2 }],
    ['Parallel', { branches: [[]], join: 'add' }, 'dim', { join: 'concat' }],
    ['Upsample', { scale_factor: 2 }, 'align_corners', { mode: 'bilinear' }],
    ['Upsample', { scale_factor: 2 }, 'size', { scale_factor: null }],
    ['Upsample', { size: 2 }, 'recompute_scale_factor', { size: null, scale_factor: 2 }],
  ];
  test.each(cases)('%s %j: %s is not shown, until %j', (kind, given, key, more) => {
    formOf(kind, given);
    expect(shown()).not.toContain(key);
    document.body.replaceChildren();
    formOf(kind, { ...given, ...more });
    expect(shown()).toContain(key);
  });

  test('is shown where it was given, with the reason and the way back', async () => {
    const onChange = formOf('Conv2d', { out_channels: 4, kernel_size: 3, padding_mode: 'reflect' });
    expect(screen.getByText('It has no effect. No border is added: padding is 0.')).toBeTruthy();
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Padding mode' }).disabled).toBe(true);
    await userEvent.click(screen.getByRole('button', { name: 'Reset padding mode to the default, zeros' }));
    expect(onChange).toHaveBeenCalledWith('padding_mode', undefined);
  });

  test('of a transposed convolution is its padding mode always', () => {
    formOf('ConvTranspose2d', { out_channels: 4, kernel_size: 3, padding: 1 });
    expect(shown()).not.toContain('padding_mode');
  });

  test('of an initialisation is the slope of what has none', () => {
    const shape = inits.get('kaiming_normal')?.params ?? {};
    show(<SchemaForm shape={shape} value={{ nonlinearity: 'relu' }} onChange={() => {}} />);
    expect(shown()).toEqual(['mode', 'nonlinearity']);
  });
});

test('choices that do not go with what arrives are not offered', async () => {
  formOf('Upsample', { scale_factor: 2 }, [3, 28, 28]);
  await userEvent.click(screen.getByRole('combobox', { name: 'Mode' }));
  expect(screen.getAllByRole('option', { hidden: true }).map(({ textContent }) => textContent)).toEqual([
    'nearest',
    'nearest-exact',
    'bilinear',
    'bicubic',
    'area',
  ]);
});

test('a default of null says what it stands for', () => {
  formOf('MaxPool2d', { kernel_size: 2 });
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Stride' }).placeholder).toBe('as the window');
  document.body.replaceChildren();
  formOf('Embedding', { num_embeddings: 4, embedding_dim: 4 });
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Padding token' }).placeholder).toBe('none');
});
