/** Long works: what was found before stays where it is of use, and says what it is of. @vitest-environment jsdom */
import { expect, test, vi } from 'vitest';
import { client } from '../engine.ts';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { longWork } = await import('../../../renderer/state/long-work.ts');

const answers: ((found: string | Error) => void)[] = [];
const ask = () =>
  new Promise<string>((resolve, reject) =>
    answers.push((found) => (typeof found === 'string' ? resolve(found) : reject(found))),
  );
const answer = (found: string | Error) => answers.shift()?.(found);

test('a result stays, under its own key, while the next is on its way and where that fails', async () => {
  expect(client.connection.status).toBe('ready');
  const work = longWork<object, string>(ask, (before, key) => before[0] === key[0]);
  const first = work.start('a1', {});
  answer('first');
  expect(await first).toBe('first');
  const second = work.start('a2', {});
  expect(work.use.getState()).toMatchObject({ running: true, key: 'a2', result: 'first', resultKey: 'a1' });
  answer(new Error('no'));
  expect(await second).toBeNull();
  expect(work.use.getState()).toMatchObject({ running: false, key: 'a2', result: 'first', resultKey: 'a1' });
  expect(work.use.getState().error?.message).toContain('no');
  void work.start('b1', {});
  expect(work.use.getState()).toMatchObject({ running: true, result: null, resultKey: null });
  work.clear();
});

test('it goes at once where nothing is said', async () => {
  const work = longWork<object, string>(ask);
  answers.length = 0;
  const first = work.start('a', {});
  answer('first');
  await first;
  void work.start('a', {});
  expect(work.use.getState().result).toBeNull();
  work.clear();
});
