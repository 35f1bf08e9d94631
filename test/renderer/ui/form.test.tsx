/** Forms as a person fills them in. @vitest-environment jsdom */
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { span } from '../../../engine/contract/fields.ts';
import { layerKind } from '../../../engine/contract/layers/index.ts';
import { optimizers } from '../../../engine/contract/optimizers.ts';
import { SchemaForm, type SchemaFormProps } from '../../../renderer/ui/index.ts';
import { show } from './dom.tsx';

type Values = Record<string, unknown>;
let setFromElsewhere: (value: Values) => void = () => {};

/** A form over a value that it changes, as a project would be. */
function Host({ kind, start, ...more }: { kind?: string; start: Values } & Partial<SchemaFormProps>) {
  const [value, setValue] = useState(start);
  setFromElsewhere = setValue;
  const row = kind === undefined ? undefined : (optimizers.get(kind) ?? layerKind(kind));
  return (
    <>
      <SchemaForm
        shape={row?.params ?? {}}
        value={value}
        {...more}
        onChange={(key, next) => {
          more.onChange?.(key, next);
          setValue(({ [key]: _, ...rest }) => (next === undefined ? rest : { ...rest, [key]: next }));
        }}
      />
      <output>{JSON.stringify(value)}</output>
    </>
  );
}

const value = () => JSON.parse(screen.getByRole('status').textContent ?? '') as Values;
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);

describe('a number', () => {
  test('is told at each keystroke that means one, and stays as it is typed', async () => {
    const told = vi.fn();
    show(<Host kind="Adam" start={{}} onChange={told} />);
    const lr = field('Learning rate');
    expect(lr.placeholder).toBe('0.001');
    await userEvent.type(lr, '1e-3');
    expect(told.mock.calls).toEqual([
      ['lr', 1],
      ['lr', 0.001],
    ]);
    expect(lr.value).toBe('1e-3');
    await userEvent.clear(lr);
    expect(value()).toEqual({});
    await userEvent.type(lr, '0.10');
    expect(lr.value).toBe('0.10');
    expect(value()).toEqual({ lr: 0.1 });
  });

  test('is selected by the first click, so that typing replaces it; the second places the caret', async () => {
    show(<Host kind="Conv2d" start={{ out_channels: 16, kernel_size: 3 }} />);
    await userEvent.click(field('Channels'));
    await userEvent.keyboard('6');
    expect(value()).toMatchObject({ out_channels: 6 });
    await userEvent.click(field('Channels'));
    await userEvent.keyboard('4');
    expect(value()).toMatchObject({ out_channels: 64 });
    await userEvent.click(screen.getByRole('textbox', { name: 'Kernel' }));
    await userEvent.keyboard('5');
    expect(value()).toMatchObject({ kernel_size: 5 });
  });

  test('keeps the cursor where it is', async () => {
    show(<Host kind="Linear" start={{ out_features: 128 }} />);
    const outputs = field('Outputs');
    outputs.focus();
    outputs.setSelectionRange(1, 1);
    await userEvent.keyboard('5');
    expect(outputs.value).toBe('1528');
    expect(outputs.selectionStart).toBe(2);
  });

  test('that is none stays shown with its message, and the project keeps the last', async () => {
    show(<Host kind="Linear" start={{ out_features: 12 }} />);
    const outputs = field('Outputs');
    await userEvent.type(outputs, 'x', { initialSelectionStart: 2 });
    expect(outputs.value).toBe('12x');
    expect(outputs.getAttribute('aria-invalid')).toBe('true');
    screen.getByText('An integer ≥ 1 is expected, not “12x”.');
    expect(value()).toEqual({ out_features: 12 });
    await userEvent.type(outputs, '{Backspace}');
    expect(outputs.getAttribute('aria-invalid')).toBeNull();
  });

  test('follows what changes it from elsewhere, also while it is invalid', async () => {
    show(<Host kind="Linear" start={{ out_features: 12 }} />);
    await userEvent.type(field('Outputs'), 'x');
    act(() => setFromElsewhere({ out_features: 64 }));
    expect(field('Outputs').value).toBe('64');
    expect(screen.queryByText(/expected/)).toBeNull();
  });

  test('steps with the arrows and goes no further than its bounds', async () => {
    show(<Host kind="Linear" start={{ out_features: 2 }} />);
    await userEvent.type(field('Outputs'), '{ArrowDown}{ArrowDown}{ArrowDown}');
    expect(value()).toEqual({ out_features: 1 });
    await userEvent.type(field('Outputs'), '{ArrowUp}');
    expect(value()).toEqual({ out_features: 2 });
  });

  test('goes back to its default', async () => {
    show(<Host kind="Adam" start={{ lr: 0.5 }} />);
    await userEvent.click(screen.getByRole('button', { name: 'Reset learning rate to the default, 0.001' }));
    expect(value()).toEqual({});
    expect(field('Learning rate').value).toBe('');
  });
});

test('a field of the wrong kind is shown as it is and loses nothing', () => {
  show(<Host kind="Adam" start={{ lr: { from: 1 } }} />);
  expect(field('Learning rate').value).toBe('{"from":1}');
  expect(value()).toEqual({ lr: { from: 1 } });
});

test('a pair is one number or two', async () => {
  show(<Host kind="Conv2d" start={{ out_channels: 1, kernel_size: 3 }} />);
  const kernel = screen.getByRole('group', { name: 'Kernel' });
  await userEvent.click(within(kernel).getByRole('button', { name: 'Set height and width apart' }));
  expect(value().kernel_size).toEqual([3, 3]);
  const width = within(kernel).getByLabelText('Kernel width');
  await userEvent.clear(width);
  expect(value().kernel_size).toEqual([3, 3]);
  await userEvent.type(width, '5');
  expect(value().kernel_size).toEqual([3, 5]);
  await userEvent.click(within(kernel).getByRole('button', { name: 'Use one number for height and width' }));
  expect(value().kernel_size).toBe(3);
});

test('a span has as many sides as its kind has directions', async () => {
  const size = (rank: 1 | 3) => ({ size: span(rank, { label: 'Size', help: '' }) });
  const { unmount } = show(<Host shape={size(3)} start={{ size: [2, 3, 4] }} />);
  await userEvent.type(screen.getByLabelText('Size depth'), '1', { initialSelectionStart: 1 });
  expect(value().size).toEqual([21, 3, 4]);
  await userEvent.type(screen.getByLabelText('Size width'), '{ArrowDown}');
  expect(value().size).toEqual([21, 3, 3]);
  await userEvent.click(screen.getByRole('button', { name: 'Use one number for depth, height and width' }));
  expect(value().size).toBe(21);
  unmount();
  show(<Host shape={size(1)} start={{ size: 2 }} />);
  expect(screen.queryByRole('button', { name: /apart/ })).toBeNull();
  await userEvent.type(screen.getByRole('textbox', { name: 'Size' }), '4', { initialSelectionStart: 1 });
  expect(value().size).toBe(24);
});

test('a padding is a word or sizes', async () => {
  show(<Host kind="Conv2d" start={{ out_channels: 1, kernel_size: 3 }} />);
  const choose = async (word: string) => {
    await userEvent.click(screen.getByRole('combobox', { name: 'Kind of padding' }));
    await userEvent.click(await screen.findByRole('option', { name: word, hidden: true }));
  };
  await choose('same');
  expect(value().padding).toBe('same');
  await choose('size');
  expect(value()).not.toHaveProperty('padding');
  await userEvent.type(screen.getByRole('textbox', { name: 'Padding' }), '2');
  expect(value().padding).toBe(2);
});

test('null where it means something of its own', async () => {
  show(<Host kind="BatchNorm2d" start={{}} />);
  await userEvent.click(screen.getByRole('button', { name: 'none' }));
  expect(value()).toEqual({ momentum: null });
  expect(field('Momentum').value).toBe('none');
  await userEvent.click(screen.getByRole('button', { name: 'none' }));
  expect(value()).toEqual({});
});

test('a switch and a choice show their default and tell what is chosen', async () => {
  show(<Host kind="Conv2d" start={{ out_channels: 1, kernel_size: 3 }} />);
  const bias = field('Bias');
  expect(bias.checked).toBe(true);
  await userEvent.click(bias);
  expect(value().bias).toBe(false);
});

test('problems of a place stand at their field, with buttons that fix them', async () => {
  const fix = { label: 'Set padding to 1', edits: [] };
  const onFix = vi.fn();
  show(
    <Host
      kind="Conv2d"
      start={{ out_channels: 1, kernel_size: 3, padding: 'same', stride: 2 }}
      place="model.layers.0"
      problems={[
        { path: 'model.layers.0.padding', message: 'needs stride 1', fixes: [fix] },
        { path: 'model.layers.1.padding', message: 'of another layer', fixes: [] },
      ]}
      onFix={onFix}
    />,
  );
  screen.getByText('needs stride 1');
  expect(screen.queryByText('of another layer')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Set padding to 1' }));
  expect(onFix).toHaveBeenCalledWith(fix);
});

test('the keyboard goes from field to field, and every field has its label and help', async () => {
  show(<Host kind="Adam" start={{}} />);
  const labels: (string | null)[] = [];
  for (let step = 0; step < 6; step++) {
    await userEvent.tab();
    const active = document.activeElement as HTMLInputElement;
    labels.push(active.labels?.[0]?.textContent ?? null);
    const help = active.getAttribute('aria-describedby')?.split(' ')[0] ?? '';
    expect(document.getElementById(help)?.textContent).toBeTruthy();
  }
  expect(labels).toEqual(['Learning rate', 'Betas', 'Epsilon', 'Weight decay', 'AMSGrad', 'Maximize']);
});
