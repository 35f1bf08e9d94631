/** A picture for every kind that a file may name. @vitest-environment jsdom */
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { layerKinds } from '../../../engine/contract/layers/index.ts';
import { LayerIcon } from '../../../renderer/build/layer-icons.tsx';

afterEach(cleanup);

const pictureOf = (kind: string) => render(<LayerIcon kind={kind} />).container.querySelector('svg')?.outerHTML;

test('each kind has one, and a kind that is none has the one of the unknown', () => {
  const unknown = pictureOf('Lineer');
  expect(unknown).toBeDefined();
  for (const { kind } of layerKinds) expect([kind, pictureOf(kind) === unknown]).toEqual([kind, false]);
  for (const kind of ['constructor', '__proto__', 'toString', ''])
    expect([kind, pictureOf(kind)]).toEqual([kind, unknown]);
});
