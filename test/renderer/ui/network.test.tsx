/** Pictures of tensors and networks. @vitest-environment jsdom */
import { screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { NetworkThumb, ShapeRibbon, tensorWords } from '../../../renderer/ui/index.ts';
import { thumbBars } from '../../../renderer/ui/network/measure.ts';
import { show } from './dom.tsx';

describe('a tensor', () => {
  test('is its shape; tokens and padding are told', () => {
    expect(tensorWords([3, 28, 28])).toBe('3×28×28');
    expect(tensorWords([1200], true)).toBe('1,200 tokens');
    expect(tensorWords([4, 8], true)).toBe('4×8 indices');
    expect(tensorWords([120, 64], false, true)).toBe('up to 120×64');
    expect(tensorWords(null)).toBe('?');
  });

  test('of tokens is drawn as strokes, one with padding has its end apart', () => {
    const rects = () => document.querySelectorAll('rect').length;
    const { unmount } = show(<ShapeRibbon dims={[64]} indices scale={64} />);
    expect(rects()).toBeGreaterThan(8);
    unmount();
    show(<ShapeRibbon dims={[64, 8]} padded scale={512} />);
    expect(rects()).toBe(2);
    expect(screen.getByText('up to 64×8')).toBeTruthy();
  });
});

describe('a network', () => {
  const relu = { kind: 'ReLU', output: [8], parameters: 0 };
  const linear = { kind: 'Linear', output: [8], parameters: 72 };
  const block = {
    kind: 'Residual',
    output: [8],
    parameters: 144,
    children: [{ layers: [linear, relu, { ...relu, kind: 'Repeat', children: [{ layers: [linear] }] }] }],
  };

  test('shows a block by what it is made of, wider than a layer, and all in the width that there is', () => {
    const bars = thumbBars([linear, block], [8], 200, 80);
    expect(bars.map(({ inside }) => inside)).toEqual([[], [], ['dense', 'activation', 'dense']]);
    expect(bars[2]?.width).toBeGreaterThan(bars[1]?.width ?? 0);
    const many = thumbBars(
      Array.from({ length: 60 }, () => block),
      [8],
      200,
      80,
    );
    expect(many[0]?.x).toBeGreaterThanOrEqual(-0.01);
    const last = many.at(-1);
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(200.01);
  });

  test('copies stand behind one that shows what they are made of, shortcuts are counted by how deep they lie', () => {
    const copies = { kind: 'Repeat', output: [8], parameters: 864, children: Array(12).fill({ layers: [linear] }) };
    const level = (inner: object[]) => ({ ...block, kind: 'Parallel', children: [{ layers: [] }, { layers: inner }] });
    const [, first, second, plain] = thumbBars(
      [
        copies,
        level([linear, { ...block, kind: 'Block', children: [{ layers: [level([linear, relu])] }] }]),
        linear,
      ] as never,
      [8],
      200,
      80,
    );
    expect(first).toMatchObject({ times: 12, inside: ['dense'], shortcuts: 0 });
    expect(second).toMatchObject({ times: 1, shortcuts: 2 });
    expect(plain).toMatchObject({ times: 1, shortcuts: 0, inside: [] });
    show(<NetworkThumb layers={[copies]} input={[8]} />);
    expect(screen.getByText('×12')).toBeTruthy();
  });

  test('how many copies there are is told where there is room for it', () => {
    const copies = { kind: 'Repeat', output: [8], parameters: 864, children: Array(12).fill({ layers: [linear] }) };
    show(<NetworkThumb layers={[copies, ...Array(9).fill(linear)]} input={[8]} width={132} height={36} />);
    expect(screen.queryByText('×12')).toBeNull();
  });

  test('says in words what the picture shows', () => {
    show(<NetworkThumb layers={[linear, block]} input={[8]} />);
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe('Network of 2 layers, 216 parameters, 8 to 8');
  });
});
