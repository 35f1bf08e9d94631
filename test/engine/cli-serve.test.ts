/** `gradloom serve` as a process: what it refuses, what it warns of, how it ends. Its answers are tested in serve.test.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { gradloom, start } from './cli-process.ts';

const home = mkdtempSync(join(tmpdir(), 'gradloom-serve-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('a port that is taken or none, a host, a root and a project that are not there: exit 2, said', async () => {
  const taken = net.createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as net.AddressInfo;
  const refused = await Promise.all(
    [
      ['--port', String(port)],
      ['--port', '70000'],
      ['--port', 'x'],
      ['--host', '203.0.113.7'],
      ['--root', join(home, 'nowhere')],
      [join(home, 'nowhere.gradloom.json')],
    ].map((words) => gradloom(home, ['serve', '--json', ...words])),
  );
  taken.close();
  expect(refused.map(({ code, lines }) => [code, lines[0]?.code])).toEqual(refused.map(() => [2, 'BAD_CALL']));
  expect(refused[0]?.lines[0]).toMatchObject({
    message: expect.stringContaining(String(port)),
    hint: expect.anything(),
  });
});

test('loopback and a free port unless asked for otherwise; other hosts are warned of', async () => {
  const own = start(home, ['serve', '--json']);
  const open = start(home, ['serve', '--json', '--host', '0.0.0.0', '--root', home]);
  const urls = await Promise.all(
    [own, open].map(async (shell) => new URL(String((await shell.until(({ type }) => type === 'serve')).url))),
  );
  expect(urls.map(({ hostname }) => hostname)).toEqual(['127.0.0.1', '127.0.0.1']);
  expect(urls[0]?.port).not.toBe(urls[1]?.port);
  for (const url of urls) {
    const { status, headers } = await fetch(url, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([303, '/']);
  }
  for (const shell of [own, open]) shell.kill('SIGTERM');
  const [first, second] = await Promise.all([own.ended, open.ended]);
  expect([first.code, second.code]).toEqual([143, 143]);
  expect(first.stderr).not.toMatch(/warning/i);
  expect(second.stderr).toMatch(/Warning: it listens on 0\.0\.0\.0, for other computers too/);
  expect(first.lines.length).toBe(1);
});
