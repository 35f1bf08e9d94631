/** Data sets are fetched from a server on this machine: resumed, checked, from the next mirror, once, and whole or not at all. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ResolvedSource, resolveProject } from '../../engine/contract/project.ts';
import { describeSource } from '../../engine/data/index.ts';
import { fetchRecipe } from '../../engine/data/recipes/fetch.ts';
import { listRecipes, readRecipes } from '../../engine/data/recipes/recipes.ts';
import { readTar } from '../../engine/data/tar.ts';
import { idxBytes, testFolder } from './idx-writer.ts';
import { tarBytes, tarHeader } from './tar-writer.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, path: string) => void;

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

/** A server that answers by `answer`, and the addresses that it was asked for. */
async function serve(answer: Answer) {
  const asked: { path: string; range: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push({ path, range: request.headers.range });
    answer(request, response, path);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Sends a file as servers do, from where it is asked for on. */
function send(request: IncomingMessage, response: ServerResponse, bytes: Buffer, { ranges = true } = {}): void {
  const begin = ranges ? Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
  if (begin >= bytes.length) return void response.writeHead(416).end();
  const headers = { 'content-length': bytes.length - begin };
  if (begin === 0) response.writeHead(200, headers);
  else response.writeHead(206, { ...headers, 'content-range': `bytes ${begin}-${bytes.length - 1}/${bytes.length}` });
  response.end(bytes.subarray(begin));
}

const noise = (bytes: number, seed = 1) =>
  Buffer.from(Array.from({ length: bytes }, (_, i) => (i * i * seed + (i >> 7)) % 251));
const content = noise(300_000);

interface Listed {
  mirrors: string[];
  files?: { name: string; bytes: Buffer; md5?: string; unpack?: boolean }[];
  source?: { kind: string };
}

function list({ mirrors, files = [{ name: 'data.bin', bytes: content }], source = { kind: 'idx' } }: Listed): void {
  const recipe = {
    name: 'things',
    title: 'Things',
    about: 'Things.',
    licence: 'CC0',
    source,
    mirrors,
    files: files.map(({ name, bytes, md5: sum, unpack }) => ({
      name,
      bytes: bytes.length,
      md5: sum ?? md5(bytes),
      ...(unpack ? { unpack } : {}),
    })),
  };
  const file = join(testFolder(), 'sources.json');
  writeFileSync(file, JSON.stringify({ recipes: [recipe] }));
  vi.stubEnv('GRADLOOM_SOURCES', file);
}

let home: string;
beforeEach(() => {
  home = testFolder();
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const fetchThings = (more: Parameters<typeof fetchRecipe>[2] = {}) =>
  fetchRecipe('things', home, { pause: 1, ...more });
const fetched = () => readFileSync(join(home, 'data', 'things', 'data.bin'));

describe('fetching', () => {
  test('a data set arrives whole, is read, and is not fetched twice', async () => {
    const images = gzipSync(
      idxBytes(
        [3, 2, 2],
        Array.from({ length: 12 }, (_, i) => i),
      ),
    );
    const labels = gzipSync(idxBytes([3], [0, 1, 2]));
    const files = [
      { name: 'train-images-idx3-ubyte.gz', bytes: images },
      { name: 'train-labels-idx1-ubyte.gz', bytes: labels },
    ];
    const { asked, address } = await serve((request, response, path) =>
      send(request, response, files.find(({ name }) => path === `/set/${name}`)?.bytes ?? Buffer.alloc(0)),
    );
    list({ mirrors: [`${address}set/`], files });
    expect(await listRecipes(home)).toMatchObject([
      { name: 'things', there: false, bytes: images.length + labels.length },
    ]);
    const told: number[] = [];
    const { folder, source } = await fetchThings({ onProgress: ({ done }) => told.push(done) });
    expect(source).toEqual({ kind: 'idx', path: folder });
    expect((await describeSource({ kind: 'idx', path: folder }, '/')).parts).toEqual({ train: 3 });
    expect(told.at(-1)).toBe(images.length + labels.length);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect((await listRecipes(home))[0]?.there).toBe(true);
    await Promise.all([fetchThings(), fetchThings()]);
    expect(asked.length).toBe(2);
    expect(readdirSync(join(home, 'data'))).toEqual(['things']);
  });

  test('a connection that breaks in the middle is gone on with', async () => {
    let broken = 0;
    const { asked, address } = await serve((request, response) => {
      if (broken++ < 2) {
        const begin = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
        response.writeHead(begin ? 206 : 200, {
          'content-length': content.length - begin,
          ...(begin ? { 'content-range': `bytes ${begin}-${content.length - 1}/${content.length}` } : {}),
        });
        response.write(content.subarray(begin, begin + 100_000), () => setTimeout(() => response.destroy(), 20));
        return;
      }
      send(request, response, content);
    });
    list({ mirrors: [address] });
    await fetchThings();
    expect(fetched().equals(content)).toBe(true);
    expect(asked.map(({ range }) => range)).toEqual([undefined, 'bytes=100000-', 'bytes=200000-']);
  });

  test('a server without ranges sends everything again', async () => {
    let first = true;
    const { address } = await serve((request, response) => {
      if (!first) return send(request, response, content, { ranges: false });
      first = false;
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 50_000), () => setTimeout(() => response.destroy(), 20));
    });
    list({ mirrors: [address] });
    await fetchThings();
    expect(fetched().equals(content)).toBe(true);
  });

  test('the next mirror is asked where one has it not, or sends something else', async () => {
    const wrong = noise(300_000, 3);
    const { asked, address } = await serve((request, response, path) => {
      if (path.startsWith('/gone/')) response.writeHead(404).end('no');
      else send(request, response, path.startsWith('/wrong/') ? wrong : content);
    });
    list({ mirrors: ['http://127.0.0.1:1/', `${address}gone/`, `${address}wrong/`, `${address}right/`] });
    await fetchThings();
    expect(fetched().equals(content)).toBe(true);
    expect(asked.map(({ path }) => path.split('/')[1])).toEqual(['gone', 'wrong', 'right']);
  });

  test('what an earlier time left of another file is thrown away', async () => {
    const begun = join(home, 'data', '.things.fetching');
    mkdirSync(begun, { recursive: true });
    writeFileSync(join(begun, 'data.bin.part'), noise(1000, 7));
    const { asked, address } = await serve((request, response) => send(request, response, content));
    list({ mirrors: [address] });
    await fetchThings();
    expect(fetched().equals(content)).toBe(true);
    expect(asked.map(({ range }) => range)).toEqual(['bytes=1000-', undefined]);
  });

  test('a redirection is followed', async () => {
    const { address } = await serve((request, response, path) => {
      if (path.startsWith('/old/')) response.writeHead(302, { location: path.replace('old', 'new') }).end();
      else send(request, response, content);
    });
    list({ mirrors: [`${address}old/`] });
    await fetchThings();
    expect(fetched().equals(content)).toBe(true);
  });

  test('where no mirror has it, each is told of, and nothing appears', async () => {
    const { address } = await serve((request, response, path) => {
      if (path.startsWith('/a/')) response.writeHead(404).end();
      else if (path.startsWith('/b/')) response.writeHead(503).end();
      else send(request, response, noise(300_000, 5));
    });
    list({ mirrors: [`${address}a/`, `${address}b/`, `${address}c/`] });
    const error = await fetchThings().catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'NETWORK', hint: expect.stringContaining('PROXY') });
    expect((error as Error).message).toMatch(/404.*503.*checksum/);
    expect(existsSync(join(home, 'data', 'things'))).toBe(false);
  });

  test('cancelled, it keeps what has arrived and goes on with it', async () => {
    let slow = true;
    const { asked, address } = await serve((request, response) => {
      if (!slow) return send(request, response, content);
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 150_000));
    });
    list({ mirrors: [address] });
    const stop = new AbortController();
    const waiting = fetchThings({ signal: stop.signal, onProgress: ({ done }) => done >= 150_000 && stop.abort() });
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    slow = false;
    await fetchThings();
    expect(fetched().equals(content)).toBe(true);
    expect(asked.map(({ range }) => range)).toEqual([undefined, 'bytes=150000-']);
  });

  test('a proxy of the environment is used', async () => {
    const { address } = await serve((request, response) => send(request, response, content));
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const server = connect(Number(new URL(address).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        server.pipe(socket).pipe(server);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.close();
    });
    vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    vi.stubEnv('no_proxy', '');
    list({ mirrors: ['http://data.invalid/set/'] });
    await fetchThings();
    expect(fetched().equals(content)).toBe(true);
    expect(tunnels).toEqual(['data.invalid:80']);
  });

  test('an archive is unpacked and goes; one that leads out of the folder is refused', async () => {
    const archive = gzipSync(
      tarBytes([
        { name: 'set/', kind: '5' },
        { name: 'set/a.bin', content },
        { name: './b.txt', content: Buffer.from('b') },
      ]),
    );
    const evil = gzipSync(tarBytes([{ name: '../evil.txt', content: Buffer.from('x') }]));
    const { address } = await serve((request, response, path) =>
      send(request, response, path.includes('evil') ? evil : archive),
    );
    list({
      mirrors: [address],
      files: [{ name: 'set.tar.gz', bytes: archive, unpack: true }],
      source: { kind: 'cifar' },
    });
    const { folder } = await fetchThings();
    expect(readdirSync(folder).sort()).toEqual(['b.txt', 'gradloom-recipe.json', 'set']);
    expect(readFileSync(join(folder, 'set', 'a.bin')).equals(content)).toBe(true);
    rmSync(join(folder, 'set', 'a.bin'));
    expect((await listRecipes(home))[0]?.there).toBe(false);
    await expect(fetchThings()).rejects.toMatchObject({ code: 'NOT_WRITABLE', hint: expect.stringContaining('Move') });
    rmSync(folder, { recursive: true });
    list({ mirrors: [address], files: [{ name: 'evil.tar.gz', bytes: evil, unpack: true }] });
    await expect(fetchThings()).rejects.toMatchObject({
      code: 'DATA_FORMAT',
      message: expect.stringContaining('leads out'),
    });
    expect(existsSync(join(home, 'data', 'evil.txt'))).toBe(false);
  });

  test('CIFAR is read as it was unpacked', async () => {
    const batch = (labels: number[]) =>
      Buffer.concat(labels.map((label) => Buffer.concat([Buffer.from([label]), noise(3072, label + 1)])));
    const archive = gzipSync(
      tarBytes([
        { name: 'cifar-10-batches-bin/', kind: '5' },
        { name: 'cifar-10-batches-bin/data_batch_1.bin', content: batch([3, 0, 2]) },
        { name: 'cifar-10-batches-bin/test_batch.bin', content: batch([1]) },
        { name: 'cifar-10-batches-bin/batches.meta.txt', content: Buffer.from([...'abcdefghij'].join('\n')) },
      ]),
    );
    const { address } = await serve((request, response) => send(request, response, archive));
    list({
      mirrors: [address],
      files: [{ name: 'cifar-10-binary.tar.gz', bytes: archive, unpack: true }],
      source: { kind: 'cifar' },
    });
    const { source } = await fetchThings();
    const resolved = resolveProject({ data: { source } }).data.source as ResolvedSource;
    expect(await describeSource(resolved, '/')).toMatchObject({
      input: { dims: [3, 32, 32] },
      target: { kind: 'class', classes: [...'abcdefghij'] },
      parts: { train: 3, test: 1 },
    });
  });

  test('a name that is not known is answered with the nearest', async () => {
    await expect(fetchRecipe('mnits', home)).rejects.toMatchObject({ code: 'BAD_CALL', hint: 'Did you mean mnist?' });
  });
});

test('the list that comes with the program', async () => {
  const recipes = await readRecipes();
  expect(recipes.map(({ name }) => name)).toEqual(['mnist', 'fashion-mnist', 'kmnist', 'cifar-10', 'cifar-100']);
  const sums = recipes.flatMap(({ files }) => files.map((file) => file.md5));
  expect(new Set(sums).size).toBe(sums.length);
});

describe('TAR archives', () => {
  const read = async (bytes: Buffer) => {
    const path = join(testFolder(), 'a.tar');
    writeFileSync(path, bytes);
    const files: Record<string, string> = {};
    for await (const { name, content: part } of readTar(path)) {
      const chunks: Buffer[] = [];
      for await (const chunk of part) chunks.push(Buffer.from(chunk));
      files[name] = Buffer.concat(chunks).toString();
    }
    return files;
  };
  const long = `${'folder/'.repeat(30)}file.txt`;

  test('long names of GNU and of POSIX, links passed over', async () => {
    const record = `path=${long}\n`;
    const length = record.length + 4;
    const files = [
      { name: '././@LongLink', kind: 'L', content: Buffer.from(`${long}\0`) },
      { name: 'cut', content: Buffer.from('gnu') },
      { name: 'pax', kind: 'x', content: Buffer.from(`${length} ${record}`) },
      { name: 'cut', content: Buffer.from('posix') },
      { name: 'link', kind: '2' },
      { name: 'last', content: Buffer.from('end') },
    ];
    expect(await read(tarBytes(files.filter(({ kind }) => kind !== 'x').slice(0, 2)))).toEqual({ [long]: 'gnu' });
    expect(await read(tarBytes(files.slice(2)))).toEqual({ [long]: 'posix', last: 'end' });
  });

  test.each(['/etc/x', '..', 'a/../../b', 'C:\\x', 'a\\..\\..\\b'])('the name %s is refused', async (name) => {
    await expect(read(tarBytes([{ name, content: Buffer.from('x') }]))).rejects.toMatchObject({ code: 'DATA_FORMAT' });
  });

  test('cut short, or no archive', async () => {
    const whole = tarBytes([{ name: 'a', content: noise(2000) }]);
    await expect(read(whole.subarray(0, 1500))).rejects.toMatchObject({ code: 'DATA_TRUNCATED' });
    await expect(read(noise(2048))).rejects.toMatchObject({ code: 'DATA_FORMAT' });
    const header = tarHeader('a', 5);
    header[0] = 0x62;
    await expect(read(Buffer.concat([header, Buffer.alloc(512)]))).rejects.toMatchObject({ code: 'DATA_FORMAT' });
  });
});
