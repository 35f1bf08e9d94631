/** The border between two areas. @vitest-environment jsdom */
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Splitter } from '../../../renderer/ui/index.ts';
import { show } from './dom.tsx';

test('moves from where it is seen: a side that gives way is narrower than what is kept', async () => {
  localStorage.clear();
  show(
    <Splitter label="Side" storageKey="test" main="Main" aside={<p>Aside</p>} initial={400} min={200} share={0.5} />,
  );
  const border = screen.getByRole('separator', { name: 'Width of Side' });
  const aside = screen.getByText('Aside').parentElement as HTMLElement;
  expect(aside.style.maxWidth).toBe('50%');
  border.focus();
  await userEvent.keyboard('{ArrowLeft}');
  expect(aside.style.width).toBe('416px');
  vi.spyOn(aside, 'offsetWidth', 'get').mockReturnValue(300);
  await userEvent.keyboard('{ArrowRight}');
  expect(aside.style.width).toBe('284px');
  expect(localStorage.getItem('gradloom.test')).toBe('284');
});
