/** Fetching libtorch: from an index on loopback, whole, cut, killed, falsified, offline, and twice at once. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Checkout } from './checkout.ts';
import { IndexServer, makeWheels } from './index-server.ts';

const libtorchOnly = ['setup', '--only', 'libtorch'];

describe.skipIf(process.platform !== 'linux')('fetching libtorch', () => {
  let server: IndexServer;
  let checkout: Checkout;

  beforeAll(async () => {
    server = new IndexServer(await makeWheels());
    await server.listen();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reset();
    checkout = new Checkout();
    checkout.env.PIP_INDEX_URL = server.url;
    checkout.env.PATH = checkout.onlyPrograms({ python3: null });
    checkout.hidePythonTorch();
  });
  afterEach(() => checkout.remove());

  const home = () => checkout.cached('libtorch', `2.15.0-${process.platform}-${process.arch}`);
  const torchWheel = () => server.wheels[0] as (typeof server.wheels)[number];

  function expectWhole(): void {
    expect(readdirSync(path.join(home(), 'torch', 'lib')).sort()).toEqual([
      'libc10.so',
      'libgomp.so.1',
      'libtorch_cpu.so',
    ]);
    expect(existsSync(path.join(home(), 'torch', 'include', 'ATen', 'Tensor.h'))).toBe(true);
    expect(existsSync(path.join(home(), 'torch', 'nn'))).toBe(false);
    expect(readdirSync(path.join(home(), 'nvidia', 'cu13', 'lib')).sort()).toEqual([
      'libcudart.so.13',
      'libcupti.so.13',
    ]);
    expect(readdirSync(checkout.cached('downloads'))).toEqual([]);
    expect(readdirSync(checkout.cached('libtorch'))).toEqual([path.basename(home())]);
  }

  test.each([{ json: false }, { json: true }])('takes what a CPU needs and nothing twice (%o)', async (behaviour) => {
    server.reset(behaviour);
    const first = await checkout.run(libtorchOnly);
    expect(first.stderr).toContain('100 %');
    expect(first.code).toBe(0);
    expectWhole();
    expect(server.sent).toBe(server.totalBytes);
    const second = await checkout.run(libtorchOnly);
    expect(second).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(server.sent).toBe(server.totalBytes);
  });

  test('goes on where a connection was cut', async () => {
    server.reset({ cutAfter: 1 << 20 });
    expect((await checkout.run(libtorchOnly)).code).toBe(0);
    expectWhole();
    const starts = server.requests.filter(({ filename }) => filename === torchWheel().filename).map(({ from }) => from);
    expect(starts.length).toBeGreaterThanOrEqual(4);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(starts.at(-1)).toBeGreaterThan(2 << 20);
  });

  test('goes on after being killed in the middle', async () => {
    server.reset({ slow: 20 });
    const { child, done } = checkout.start(libtorchOnly);
    const part = checkout.cached('downloads', `${torchWheel().filename}.part`);
    await expect
      .poll(() => existsSync(part) && readFileSync(part).length, { timeout: 20_000 })
      .toBeGreaterThan(1 << 20);
    process.kill(-(child.pid as number), 'SIGKILL');
    await done;
    const had = readFileSync(part).length;
    server.reset();
    expect((await checkout.run(libtorchOnly)).code).toBe(0);
    expectWhole();
    expect(server.requests[0]).toEqual({ filename: torchWheel().filename, from: had });
  });

  test('a server without ranges sends it all again, and the file is right', async () => {
    mkdirSync(checkout.cached('downloads'), { recursive: true });
    writeFileSync(
      checkout.cached('downloads', `${torchWheel().filename}.part`),
      torchWheel().bytes.subarray(0, 1 << 20),
    );
    server.reset({ noRanges: true });
    expect((await checkout.run(libtorchOnly)).code).toBe(0);
    expectWhole();
  });

  test('a half file of something else is found out and fetched again', async () => {
    mkdirSync(checkout.cached('downloads'), { recursive: true });
    writeFileSync(checkout.cached('downloads', `${torchWheel().filename}.part`), Buffer.alloc(1 << 20, 7));
    expect((await checkout.run(libtorchOnly)).code).toBe(0);
    expectWhole();
  });

  test('a file that is not what the index says is refused', async () => {
    server.reset({ wrongHash: true });
    const { code, stderr } = await checkout.run(libtorchOnly);
    expect(code).toBe(1);
    expect(stderr).toContain('another checksum');
    expect(existsSync(home())).toBe(false);
  });

  test('without a network it says which step failed and how to go on', async () => {
    const { code, stderr } = await checkout.run(libtorchOnly, { PIP_INDEX_URL: 'http://127.0.0.1:9/simple' });
    expect(code).toBe(1);
    expect(stderr).toContain('torch could not be fetched: torch: 127.0.0.1 could not be reached');
    for (const word of ['GRADLOOM_LIBTORCH', 'PIP_FIND_LINKS', 'pip config list']) expect(stderr).toContain(word);
  });

  test('a version the index lacks', async () => {
    const lacking = new IndexServer(server.wheels.filter(({ filename }) => !filename.includes('2.15.0')));
    await lacking.listen();
    const { code, stderr } = await checkout.run(libtorchOnly, { PIP_INDEX_URL: lacking.url });
    await lacking.close();
    expect(code).toBe(1);
    expect(stderr).toContain('no fitting wheel');
  });

  test('offline, from a folder of wheels, which stay there', async () => {
    const folder = checkout.cached('..', 'wheels');
    mkdirSync(folder, { recursive: true });
    for (const wheel of server.wheels) writeFileSync(path.join(folder, wheel.filename), wheel.bytes);
    const before = readdirSync(folder);
    const { code } = await checkout.run(libtorchOnly, { PIP_FIND_LINKS: folder, PIP_NO_INDEX: '1' });
    expect(code).toBe(0);
    expectWhole();
    expect(readdirSync(folder)).toEqual(before);
    expect(server.requests).toEqual([]);
  });

  test('two set-ups of two checkouts at once fetch each file once', async () => {
    server.reset({ slow: 2 });
    const other = new Checkout(checkout.cache);
    Object.assign(other.env, checkout.env);
    const outcomes = await Promise.all([checkout.run(libtorchOnly), other.run(libtorchOnly)]);
    other.remove();
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expectWhole();
    expect(server.sent).toBe(server.totalBytes);
    expect(outcomes.filter(({ stderr }) => stderr.includes('Waiting for another set-up'))).toHaveLength(1);
  });

  test('a half-unpacked copy is never taken for a whole one', async () => {
    mkdirSync(path.join(`${home()}.new`, 'torch', 'lib'), { recursive: true });
    expect((await checkout.run(libtorchOnly)).code).toBe(0);
    expectWhole();
  });
});
