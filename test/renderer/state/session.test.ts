/** What the window tells a person. @vitest-environment jsdom */
import { expect, test, vi } from 'vitest';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { dismissToast, tell, useSession } = await import('../../../renderer/state/session.ts');

const told = () => useSession.getState().toasts.map(({ message }) => message);

test('the same told twice is one message, renewed', () => {
  tell({ tone: 'error', message: 'The disk is full' });
  tell({ tone: 'info', message: 'Saved' });
  const [first] = useSession.getState().toasts;
  tell({ tone: 'error', message: 'The disk is full' });
  expect(told()).toEqual(['Saved', 'The disk is full']);
  // The first one's time is over; the renewed one's is not.
  dismissToast(first?.id as number);
  expect(told()).toEqual(['Saved', 'The disk is full']);
  tell({ tone: 'error', message: 'The disk is full', hint: 'Make room.' });
  expect(told()).toHaveLength(3);
});
