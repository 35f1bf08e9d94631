/** `data recipes` and `data fetch` as a person calls them, with a server on this machine. */
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { start } from './cli-process.ts';
import { idxBytes, testFolder } from './idx-writer.ts';

test('a data set is listed, fetched and there', async () => {
  const home = testFolder();
  const files: Record<string, Buffer> = {
    'train-images-idx3-ubyte': idxBytes([2, 2, 2], [0, 1, 2, 3, 4, 5, 6, 7]),
    'train-labels-idx1-ubyte': idxBytes([2], [0, 1]),
  };
  const server = createServer((request, response) => response.end(files[(request.url ?? '').slice(1)]));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const recipe = {
    name: 'two',
    title: 'Two',
    about: 'Two images.',
    licence: 'CC0',
    source: { kind: 'idx' },
    mirrors: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/`],
    files: Object.entries(files).map(([name, bytes]) => ({
      name,
      bytes: bytes.length,
      md5: createHash('md5').update(bytes).digest('hex'),
    })),
  };
  const list = join(home, 'sources.json');
  writeFileSync(list, JSON.stringify({ recipes: [recipe] }));
  const environment = { GRADLOOM_SOURCES: list, http_proxy: '', HTTP_PROXY: '' };
  const call = async (...words: string[]) => start(home, words, environment).ended;

  expect((await call('data', 'recipes', '--json')).lines).toMatchObject([
    { type: 'recipe', name: 'two', there: false },
  ]);
  const fetched = await call('data', 'fetch', 'two', '--json');
  const folder = join(home, 'data', 'two');
  expect(fetched.lines.at(-1)).toMatchObject({ type: 'fetch', folder, source: { kind: 'idx', path: folder } });
  expect(fetched.code).toBe(0);
  expect((await call('data', 'recipes', '--json')).lines).toMatchObject([{ there: true }]);
  expect((await call('data', 'inspect', folder, '--json')).lines[0]).toMatchObject({
    found: [{ source: { kind: 'idx' } }],
  });
  const unknown = await call('data', 'fetch', 'too');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean two')]);
  expect(existsSync(join(home, 'data', 'too'))).toBe(false);
});
