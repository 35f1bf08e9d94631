/** Attacks on the browser shell: requests as no browser sends them, from where no window is, without the token, and for what is not the window. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import type { ContractRouterClient } from '@orpc/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openEngine } from '../../engine/api/engine.ts';
import type { api } from '../../engine/contract/api.ts';
import { nodeProcesses } from '../../engine/processes.ts';
import { type Shell, startShell } from '../../engine/serve.ts';
import { Guard } from '../../engine/serve-guard.ts';
import { writeFloats } from '../native/floats.ts';

let shell: Shell;
let token: string;
let base: string;
const logged: string[] = [];

beforeAll(async () => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'gradloom-serve-')));
  const home = path.join(base, 'home');
  const files = path.join(base, 'window');
  mkdirSync(path.join(files, '.vite'), { recursive: true });
  mkdirSync(path.join(files, 'assets'));
  mkdirSync(home);
  writeFileSync(path.join(base, 'secret.txt'), 'secret');
  writeFileSync(path.join(files, 'index.html'), '<meta name="csp-nonce" content="__CSP_NONCE__">');
  writeFileSync(path.join(files, 'assets', 'main-1.js'), 'main');
  writeFileSync(path.join(files, 'assets', 'main-1.js.map'), 'not named');
  writeFileSync(path.join(files, 'assets', 'a.css'), 'a');
  writeFileSync(path.join(files, 'assets', 'b.woff2'), 'b');
  const manifest = {
    'index.html': { file: 'assets/main-1.js', css: ['assets/a.css'], assets: ['assets/b.woff2'] },
    evil: { file: '../secret.txt', css: ['/etc/hostname'] },
  };
  writeFileSync(path.join(files, '.vite', 'manifest.json'), JSON.stringify(manifest));
  vi.stubEnv('GRADLOOM_HOME', home);
  const log = (text: string) => logged.push(text);
  const engine = openEngine({ processes: nodeProcesses, root: home, log });
  shell = await startShell({ engine, files, log });
  token = new URL(shell.url).searchParams.get('token') ?? '';
});

afterAll(async () => {
  await shell.close();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

/** Sends bytes as they are; answers the status, the headers and the body. */
function raw(head: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(shell.port, '127.0.0.1', () => socket.write(head));
    let text = '';
    socket.setEncoding('latin1').on('data', (more) => {
      text += more;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
  });
}

const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
  raw(
    `${method} ${target} HTTP/1.1\r\n${Object.entries({
      Host: `127.0.0.1:${shell.port}`,
      Connection: 'close',
      ...headers,
    })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  );

const upgrade = (headers: Record<string, string> = {}, target = '/rpc') =>
  get(target, {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  });

const header = (text: string, name: string) => new RegExp(`^${name}: (.*)\\r$`, 'im').exec(text)?.[1];

async function cookie(): Promise<string> {
  const { text } = await get(`/?token=${token}`);
  return header(text, 'Set-Cookie')?.split(';')[0] ?? '';
}

describe('files', () => {
  test('the window is what its manifest names', async () => {
    for (const [target, type] of [
      ['/', 'text/html; charset=utf-8'],
      ['/index.html', 'text/html; charset=utf-8'],
      ['/assets/main-1.js', 'text/javascript; charset=utf-8'],
      ['/assets/a.css', 'text/css; charset=utf-8'],
      ['/assets/b.woff2', 'font/woff2'],
    ] as const) {
      const { status, text } = await get(target);
      expect([target, status, header(text, 'Content-Type')]).toEqual([target, 200, type]);
    }
  });

  test.each([
    '/assets/main-1.js.map',
    '/.vite/manifest.json',
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/..\\secret.txt',
    '/assets\\main-1.js',
    '/assets/main-1.js%00',
    '/assets/main-1.js%00.css',
    '//assets/main-1.js',
    '/assets//main-1.js',
    '/./assets/main-1.js',
    '/assets/MAIN-1.js',
    '/assets',
    '/assets/',
    '/etc/hostname',
    '/__proto__',
    '/constructor',
    '/%',
    '*',
    'http://127.0.0.1/assets/main-1.js',
  ])('%s is not among them', async (target) => {
    const { status, text } = await get(target);
    expect(status).toBe(404);
    expect(text).not.toContain('secret');
  });

  test('a NUL or a line break in the address is no request', async () => {
    for (const target of ['/assets/main-1.js\0', '/assets/main-1.js\r\nX: y\r\n\r\nGET /']) {
      expect((await get(target)).text).not.toContain('main\n');
    }
  });

  test('a policy that lets nothing else in; a nonce of its own for each answer', async () => {
    const [one, two] = [await get('/'), await get('/')];
    const policy = header(one.text, 'Content-Security-Policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] as string;
    expect(policy).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; font-src 'self'; img-src 'self' data: blob:; ` +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(one.text).toContain(`content="${nonce}"`);
    expect(two.text).not.toContain(nonce);
    for (const { text } of [one, await get('/nowhere'), await get('/rpc'), await get('/', { Host: 'evil.example' })]) {
      expect(header(text, 'X-Content-Type-Options')).toBe('nosniff');
      expect(header(text, 'Referrer-Policy')).toBe('no-referrer');
      expect(header(text, 'Cross-Origin-Opener-Policy')).toBe('same-origin');
      expect(header(text, 'Cross-Origin-Resource-Policy')).toBe('same-origin');
    }
  });

  test('nothing is written here', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])
      expect((await get('/', {}, method)).status).toBe(405);
    const head = await get('/assets/a.css', {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.text.endsWith('\r\n\r\n')).toBe(true);
  });
});

describe('where a request comes from', () => {
  test.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.168.0.7',
    '0.0.0.0',
    '2130706433',
    '127.0.0.1@evil.example',
    '127.0.0.1:80:90',
    '[::2]',
    '',
  ])('host %j is foreign', async (host) => {
    expect((await get('/', { Host: host })).status).toBe(403);
    expect((await upgrade({ Host: host, Authorization: `Bearer ${token}` })).status).toBe(403);
  });

  test('loopback by any of its names is ours, through a tunnel with another port too', async () => {
    for (const host of ['localhost', 'LOCALHOST:9', '127.0.0.1', '127.9.9.9:1', '[::1]:5']) {
      expect((await get('/', { Host: host })).status).toBe(200);
    }
  });

  test.each(['http://evil.example', 'null', 'file://', 'http://127.0.0.1', 'http://127.0.0.1:1', 'http://localhost'])(
    'origin %s is foreign',
    async (Origin) => {
      expect((await get('/', { Origin })).status).toBe(403);
      expect((await upgrade({ Origin, Authorization: `Bearer ${token}` })).status).toBe(403);
      expect((await upgrade({ Origin, Cookie: await cookie() })).status).toBe(403);
    },
  );

  test('no host and two hosts are no request', async () => {
    expect((await raw('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).status).not.toBe(200);
    const two = await raw(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    expect(two.status).not.toBe(200);
  });

  test('a shell for other computers takes addresses and its own names, not any name', () => {
    const open = new Guard('0.0.0.0');
    for (const host of ['192.168.0.7:80', '[fe80::1]:80', 'localhost', os.hostname()])
      expect([host, open.isOurHost(host)]).toEqual([host, true]);
    for (const host of ['evil.example', undefined]) expect(open.isOurHost(host)).toBe(false);
    expect(new Guard('box.example').isOurHost('BOX.example:90')).toBe(true);
  });
});

describe('the token', () => {
  test('leads to a cookie and out of the address', async () => {
    const { status, text } = await get(`/?token=${token}`);
    expect(status).toBe(303);
    expect(header(text, 'Location')).toBe('/');
    const set = header(text, 'Set-Cookie') ?? '';
    expect(set).toMatch(new RegExp(`^gradloom-${shell.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    expect(set).not.toContain(token);
  });

  test('is 32 random bytes; a wrong one gives nothing', async () => {
    expect(Buffer.from(token, 'base64url').length).toBe(32);
    expect(new Guard('127.0.0.1').token).not.toBe(new Guard('127.0.0.1').token);
    for (const wrong of ['', 'x', token.slice(1), `${token}x`, token.toLowerCase(), encodeURIComponent(`${token}\0`)]) {
      const { status, text } = await get(`/?token=${wrong}`);
      expect([wrong, status, header(text, 'Set-Cookie')]).toEqual([wrong, 401, undefined]);
      expect((await upgrade({ Authorization: `Bearer ${wrong}` })).status).toBe(401);
    }
    expect((await get(`/?token=wrong&token=${token}`)).status).toBe(401);
  });

  test('calls are answered with it only', async () => {
    const held = await cookie();
    expect((await get('/rpc')).status).toBe(401);
    expect((await get('/rpc', { Cookie: held })).status).toBe(426);
    expect((await upgrade()).status).toBe(401);
    const name = `gradloom-${shell.port}`;
    for (const Cookie of [`${name}=${token}`, `${name}=`, `other=${held.split('=')[1]}`, `x${held}`])
      expect([Cookie, (await upgrade({ Cookie })).status]).toEqual([Cookie, 401]);
    expect((await upgrade({ Cookie: held }, '/')).status).toBe(404);
    expect((await upgrade({ Cookie: held }, '/rpc/../x')).status).toBe(404);
  });

  test('a ticket lets one browser in, once', async () => {
    const ticket = new URL(shell.ticketUrl());
    expect(ticket.href).not.toContain(token);
    const target = ticket.pathname + ticket.search;
    expect((await get(target)).status).toBe(303);
    expect((await get(target)).status).toBe(401);
  });
});

describe('calls', () => {
  function connected() {
    const socket = new WebSocket(`ws://127.0.0.1:${shell.port}/rpc`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket });
    const client: ContractRouterClient<typeof api> = createORPCClient(link);
    return { socket, client };
  }

  test('a message that is too long or no message ends its connection at most, and no other', async () => {
    const { socket: bad } = connected();
    const { socket, client } = connected();
    const closed = new Promise<number>((resolve) => bad.on('close', resolve));
    await new Promise((resolve) => bad.on('open', resolve));
    bad.on('error', () => {});
    const silenced = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const text of [
      '',
      'x',
      '{}',
      '[]',
      'null',
      '{"i":1}',
      '{"i":"1","p":{"u":5}}',
      '{"i":"2","p":{"u":"/about","b":7}}',
    ])
      bad.send(text);
    bad.send(Buffer.from([255, 254, 0]));
    expect((await client.about()).root).toBe(path.join(base, 'home'));
    bad.send(Buffer.alloc(17 << 20));
    expect(await closed).toBe(1009);
    expect((await client.settings.get()).theme).toBe('system');
    silenced.mockRestore();
    socket.close();
  });

  test('calls that are not in the contract are not there; what is malformed says so', async () => {
    const { socket, client } = connected();
    const answers: string[] = [];
    socket.on('message', (message) => answers.push(String(message)));
    await new Promise((resolve) => socket.on('open', resolve));
    const names = ['/nothing', '/constructor', '/__proto__', '/runs', '/runs/__proto__/x', '/about/about'];
    for (const [i, u] of names.entries()) socket.send(JSON.stringify({ i: `x${i}`, p: { u } }));
    await expect.poll(() => answers.length).toBe(names.length);
    for (const answer of answers) expect(JSON.parse(answer).p.s).toBe(404);
    await expect(client.projects.open({ file: 5 } as never)).rejects.toMatchObject({
      data: { code: 'BAD_CALL', message: expect.stringContaining('file') },
    });
    socket.close();
  });

  test('a source that cannot be read says what is wrong with it', async () => {
    const { socket, client } = connected();
    const file = path.join(base, 'home', 'a.gradloom.json');
    const shown = { file, transforms: [], part: 'train' as const, start: 0, count: 1 };
    for (const [source, words] of [
      [{ kind: 'nothing' }, 'There is no data source of kind "nothing"'],
      [{ kind: '__proto__' }, 'There is no data source of kind "__proto__"'],
      [{ kind: 'random', shape: [4], classes: 2, samples: 1e15 }, 'samples'],
      [{ kind: 'idx' }, 'path'],
    ] as const) {
      await expect(client.data.preview({ ...shown, source: { ...source } })).rejects.toMatchObject({
        data: { message: expect.stringContaining(words), path: expect.stringContaining('data.source') },
      });
    }
    socket.close();
  });

  test('files are reached below the root only, links followed', async () => {
    const { socket, client } = connected();
    const home = path.join(base, 'home');
    const outside = path.join(base, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'a.gradloom.json'), '{"gradloom": 1}');
    symlinkSync(outside, path.join(home, 'link'));
    symlinkSync(path.join(outside, 'a.gradloom.json'), path.join(home, 'b.gradloom.json'));
    const outer = [
      path.join(outside, 'a.gradloom.json'),
      path.join(home, 'link', 'a.gradloom.json'),
      path.join(home, 'b.gradloom.json'),
      `${home}/../outside/a.gradloom.json`,
      `${home}-other/a.gradloom.json`,
    ];
    const refused = { data: { code: 'NOT_READABLE' } };
    for (const file of outer) {
      const save = { file, revision: '', text: '{}', overwrite: true };
      await expect(client.projects.open({ file })).rejects.toMatchObject(refused);
      await expect(client.projects.save(save)).rejects.toMatchObject(refused);
      await expect(client.projects.saveCopy({ file, text: '{}' })).rejects.toMatchObject(refused);
      await expect(client.files.list({ folder: file })).rejects.toMatchObject(refused);
      await expect(client.runs.start({ file, text: '{}' })).rejects.toMatchObject(refused);
    }
    const file = path.join(home, 'mine.gradloom.json');
    for (const folder of [outside, '../outside', 'link']) {
      const source = { kind: 'idx', path: folder };
      const text = JSON.stringify({ gradloom: 1, data: { source } });
      const weights = JSON.stringify({ gradloom: 1, model: { weights: `${folder}/w.pt` } });
      const shown = { file, source, transforms: [], part: 'train' as const, start: 0, count: 1 };
      await expect(client.data.preview(shown)).rejects.toMatchObject(refused);
      await expect(client.runs.start({ file, text })).rejects.toMatchObject(refused);
      await expect(client.runs.start({ file, text: weights })).rejects.toMatchObject(refused);
      await expect(client.projects.weights({ file, text: weights })).rejects.toMatchObject(refused);
      const named = { file, text: '{"gradloom": 1}', weights: `${folder}/w.pt` };
      await expect(client.runs.start(named)).rejects.toMatchObject(refused);
      await expect(client.projects.weights(named)).rejects.toMatchObject(refused);
    }
    for (const run of ['../../outside', '..', '.', '', outside, 'a/../../outside'])
      await expect(client.runs.details({ run })).rejects.toMatchObject({
        data: { code: expect.stringMatching(/RUN_NOT_FOUND|NOT_READABLE|BAD_CALL/) },
      });
    const values = new Float32Array(12);
    await writeFloats(path.join(home, 'w.safetensors'), [{ name: '0.weight', shape: [3, 4], values }]);
    const project = {
      gradloom: 1,
      data: { source: { kind: 'random', shape: [4], classes: 3, samples: 20 } },
      model: { layers: [{ kind: 'Linear', out_features: 3 }] },
    };
    const started = { file, text: JSON.stringify(project) };
    expect(await client.projects.weights(started)).toBeNull();
    expect(await client.projects.weights({ ...started, weights: 'w.safetensors' })).toMatchObject({
      file: path.join(home, 'w.safetensors'),
      run: null,
      matched: ['0.weight'],
      missing: ['0.bias'],
    });
    await expect(client.projects.weights({ ...started, weights: 'no-run' })).rejects.toMatchObject({
      data: { code: 'FILE_NOT_FOUND' },
    });
    await expect(client.runs.restore({ trashed: outside })).rejects.toMatchObject({ data: { code: 'RUN_NOT_FOUND' } });
    const listed = await client.files.list({ folder: null });
    expect(listed).toMatchObject({ folder: home, parent: null });
    expect(logged).toEqual([]);
    socket.close();
  });
});
