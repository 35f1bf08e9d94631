/** Set-up in prepared environments: what is missing is named with its remedy, what is there is used, what is done stays done. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Checkout } from './checkout.ts';
import { IndexServer, makeWheels } from './index-server.ts';
import {
  npmOffline,
  oldCompiler,
  pretendedCmake,
  pretendedNpm,
  pythonWithoutPip,
  workingCompiler,
  workingNinja,
} from './programs.ts';

const buildTools = { 'g++': workingCompiler, cmake: pretendedCmake, ninja: workingNinja };

describe.skipIf(process.platform !== 'linux')('set-up', () => {
  let checkout: Checkout;
  let log: string;

  beforeEach(() => {
    checkout = new Checkout();
    log = checkout.write(path.join(checkout.cache, '..', 'log'), '');
    checkout.env.LOG = log;
    checkout.hidePythonTorch();
  });
  afterEach(() => checkout.remove());

  const calls = () => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean);
  const only = (step: string) => ['setup', '--only', step];

  test.each([[['setup', 'now']], [['setup', '--only', 'addons']], [['setup', '--only', 'dist', 'now']], [['stup']]])(
    'wrong words are the call’s fault: %j',
    async (words) => {
      const { code, stderr } = await checkout.run(words);
      expect(code).toBe(2);
      expect(stderr).toMatch(/→ Call: /);
    },
  );

  describe('libtorch that will not do', () => {
    test.each([
      ['nowhere', () => '/nonexistent/torch', 'does not exist'],
      ['no libtorch', () => checkout.folder, 'is no libtorch: lib/libtorch_cpu.so is not there'],
      ['too old', () => checkout.writeLibtorch('old', '2.10.1+cpu'), 'is PyTorch 2.10.1+cpu; 2.11 or newer is needed'],
      ['without headers', () => checkout.writeLibtorch('bare', '2.15.0', false), 'without its headers'],
    ])('GRADLOOM_LIBTORCH: %s', async (_name, make, message) => {
      const { code, stderr } = await checkout.run(only('libtorch'), { GRADLOOM_LIBTORCH: make() });
      expect(code).toBe(1);
      expect(stderr).toContain(message);
      expect(stderr).toContain('Point it at the folder of PyTorch 2.11 or newer');
    });

    test('the command line tells it as a line of JSON too', async () => {
      checkout.linkPackages();
      const old = checkout.writeLibtorch('old', '1.13.0');
      const { code, stdout } = await checkout.run(['cli', 'runs', '--json'], { GRADLOOM_LIBTORCH: old });
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        type: 'error',
        code: 'LIBTORCH_TOO_OLD',
        hint: expect.stringContaining('2.11'),
      });
    });

    test("python3's own torch is used where it lies, without importing it", async () => {
      const site = path.join(checkout.cache, '..', 'site');
      checkout.writeLibtorch(path.join(site, 'torch'), '2.12.1');
      checkout.write(path.join(site, 'torch', '__init__.py'), 'raise SystemExit("imported")\n');
      checkout.linkPackages();
      checkout.writeNative('one');
      const PATH = checkout.onlyPrograms({ python3: null, ...buildTools });
      expect((await checkout.run(only('addon'), { PYTHONPATH: site, PATH })).code).toBe(0);
      expect(JSON.parse(readFileSync(checkout.path('dist', 'native.json'), 'utf8')).libtorch).toEqual({
        path: path.join(site, 'torch'),
        version: '2.12.1',
      });
    });
  });

  describe('what the machine lacks', () => {
    test('Python', async () => {
      const { code, stderr } = await checkout.run(only('libtorch'), { PATH: checkout.onlyPrograms({}) });
      expect(code).toBe(1);
      expect(stderr).toContain('Python 3 was not found on PATH');
      expect(stderr).toMatch(/→ Run: .*python3/);
    });

    test('pip', async () => {
      const PATH = checkout.onlyPrograms({ python3: pythonWithoutPip });
      const { code, stderr } = await checkout.run(only('libtorch'), { PATH });
      expect(code).toBe(1);
      expect(stderr).toContain('has no pip');
      expect(stderr).toMatch(/→ Run: .*pip/);
    });

    test.each([
      ['no compiler', {}, 'No C++ compiler was found on PATH'],
      ['a compiler before C++20', { 'g++': oldCompiler }, 'cannot build a C++20 program'],
    ])('%s', async (_name, programs, message) => {
      checkout.linkPackages();
      checkout.writeNative('one');
      const GRADLOOM_LIBTORCH = checkout.writeLibtorch('torch');
      const { code, stderr } = await checkout.run(only('addon'), {
        GRADLOOM_LIBTORCH,
        PATH: checkout.onlyPrograms(programs),
      });
      expect(code).toBe(1);
      expect(stderr).toContain(message);
      expect(stderr).toMatch(/→ .*Run: .+/);
    });

    test('CMake and Ninja come as wheels, once', async () => {
      const server = new IndexServer(await makeWheels(pretendedCmake));
      await server.listen();
      checkout.linkPackages();
      checkout.writeNative('one');
      const env = {
        GRADLOOM_LIBTORCH: checkout.writeLibtorch('torch'),
        PATH: checkout.onlyPrograms({ 'g++': workingCompiler, python3: null }),
        PIP_INDEX_URL: server.url,
      };
      const first = await checkout.run(only('addon'), env);
      expect(first.stderr).toContain('No Ninja on PATH: fetching ninja 1.13.0');
      expect(first.code).toBe(0);
      expect(server.requests.map(({ filename }) => filename.split('-')[0])).toEqual(['cmake', 'ninja']);
      checkout.writeNative('two');
      expect((await checkout.run(only('addon'), env)).code).toBe(0);
      expect(server.requests).toHaveLength(2);
      await server.close();
    });

    test('CMake, and no network', async () => {
      checkout.linkPackages();
      checkout.writeNative('one');
      const { code, stderr } = await checkout.run(only('addon'), {
        GRADLOOM_LIBTORCH: checkout.writeLibtorch('torch'),
        PATH: checkout.onlyPrograms({ 'g++': workingCompiler, python3: null }),
        PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
      });
      expect(code).toBe(1);
      expect(stderr).toContain('cmake could not be fetched');
      expect(stderr).toMatch(/Install it by hand: .*cmake/);
    });

    test('the package registry', async () => {
      const { code, stderr } = await checkout.run(only('packages'), {
        PATH: checkout.onlyPrograms({ npm: npmOffline }),
      });
      expect(code).toBe(1);
      expect(stderr).toContain('npm error code ENOTFOUND');
      expect(stderr).toContain('The package registry could not be reached');
    });

    test('a writable cache', async () => {
      const { code, stderr } = await checkout.run(only('libtorch'), {
        GRADLOOM_CACHE: checkout.path('package.json', 'cache'),
      });
      expect(code).toBe(1);
      expect(stderr).toContain('cannot be written');
      expect(stderr).toContain('GRADLOOM_CACHE');
    });
  });

  describe('packages', () => {
    test('npm ci runs when node_modules is missing, unfinished or of another lock file, and not else', async () => {
      const PATH = checkout.onlyPrograms({ npm: pretendedNpm });
      const install = () => checkout.run(only('packages'), { PATH });
      await install();
      await install();
      expect(calls()).toHaveLength(1);
      rmSync(checkout.path('node_modules', '.gradloom-stamp')); // as if npm had been interrupted
      await install();
      expect(calls()).toHaveLength(2);
      writeFileSync(
        checkout.path('package-lock.json'),
        '{"packages": {"": {}, "node_modules/new": {"version": "1.0.0"}}}',
      );
      await install();
      expect(calls()).toHaveLength(3);
    });

    test('an npm install by hand is taken as it is', async () => {
      checkout.linkPackages();
      const { code, stderr } = await checkout.run(only('packages'), {
        PATH: checkout.onlyPrograms({ npm: npmOffline }),
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    });
  });

  describe('the build', () => {
    let env: NodeJS.ProcessEnv;

    beforeEach(() => {
      checkout.linkPackages();
      env = { GRADLOOM_LIBTORCH: checkout.writeLibtorch('torch'), PATH: checkout.onlyPrograms(buildTools) };
    });

    test('shows progress, leaves the addon under its key, and is not repeated', async () => {
      checkout.writeNative('one');
      const first = await checkout.run(only('addon'), env);
      expect(first.stderr).toContain('compiling  [2/2]  100 %');
      const native = JSON.parse(readFileSync(checkout.path('dist', 'native.json'), 'utf8'));
      expect(readFileSync(native.addon, 'utf8')).toBe('one');
      expect(readFileSync(native.executable, 'utf8')).toBe('one');
      expect(native.libtorch).toEqual({ path: env.GRADLOOM_LIBTORCH, version: '2.15.0' });
      await checkout.run(only('addon'), env);
      expect(calls()).toEqual(['configure', 'build']);
    });

    test('that fails shows the first error and the log, and goes on after the mending', async () => {
      checkout.writeNative('ERROR');
      const failed = await checkout.run(only('addon'), env);
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain('error: ERROR does not name a type');
      expect(failed.stderr).toMatch(/The whole log: .*build\.log/);
      expect(existsSync(checkout.path('dist', 'native.json'))).toBe(false);
      checkout.writeNative('mended');
      expect((await checkout.run(only('addon'), env)).code).toBe(0);
    });

    test('is made anew for other sources, another libtorch, other flags; an earlier state is found again', async () => {
      checkout.writeNative('one');
      await checkout.run(only('addon'), env);
      checkout.writeNative('two');
      await checkout.run(only('addon'), env);
      await checkout.run(only('addon'), { ...env, GRADLOOM_LIBTORCH: checkout.writeLibtorch('other', '2.13.0') });
      await checkout.run(only('addon'), { ...env, CXXFLAGS: '-O0' });
      expect(calls().filter((call) => call === 'build')).toHaveLength(4);
      checkout.writeNative('one');
      await checkout.run(only('addon'), env);
      expect(calls().filter((call) => call === 'build')).toHaveLength(4);
    });

    test('is shared by another clone with the same sources', async () => {
      checkout.writeNative('one');
      await checkout.run(only('addon'), env);
      const other = new Checkout(checkout.cache);
      other.linkPackages();
      other.writeNative('one');
      expect((await other.run(only('addon'), { ...env, LOG: log })).code).toBe(0);
      expect(calls()).toEqual(['configure', 'build']);
      other.remove();
    });

    test('by two set-ups at once happens once', async () => {
      checkout.writeNative('SLOW');
      const outcomes = await Promise.all([checkout.run(only('addon'), env), checkout.run(only('addon'), env)]);
      expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
      expect(calls()).toEqual(['configure', 'build']);
    });

    test('that was killed is picked up', async () => {
      checkout.writeNative('SLOW');
      const { child, done } = checkout.start(only('addon'), env);
      await expect.poll(calls, { timeout: 20_000 }).toEqual(['configure', 'build']);
      process.kill(-(child.pid as number), 'SIGKILL');
      await done;
      expect(readdirSync(checkout.cached('build')).some((name) => !name.endsWith('.lock'))).toBe(true);
      expect((await checkout.run(only('addon'), env)).code).toBe(0);
      expect(existsSync(JSON.parse(readFileSync(checkout.path('dist', 'native.json'), 'utf8')).addon)).toBe(true);
    });
  });

  describe('a second start', () => {
    test('does nothing and needs nothing, until something changes', async () => {
      checkout.linkPackages();
      checkout.writeNative('one');
      checkout.writeEngine('first');
      const env = { GRADLOOM_LIBTORCH: checkout.writeLibtorch('torch'), PATH: checkout.onlyPrograms(buildTools) };
      const first = await checkout.run(['cli', 'a b'], env);
      expect(first.stdout).toBe('first["a b"]');
      expect(await checkout.run(['cli', 'runs', '--json'], env)).toEqual({
        code: 0,
        stdout: 'first["runs","--json"]',
        stderr: '',
      });
      checkout.writeEngine('second');
      expect((await checkout.run(['cli'], env)).stdout).toBe('second[]');
      expect(calls()).toEqual(['configure', 'build']);
      // A checkout by git touches files without changing them: looked at, not built.
      const later = new Date(Date.now() + 60_000);
      utimesSync(checkout.path('native', 'src', 'main.cpp'), later, later);
      expect((await checkout.run(['setup'], env)).stderr).toBe('Ready. Next: npm start, or npm run demo\n');
      expect((await checkout.run(['setup'], env)).stderr).toContain('nothing to do');
      rmSync(JSON.parse(readFileSync(checkout.path('dist', 'native.json'), 'utf8')).addon);
      expect((await checkout.run(['cli'], env)).stdout).toBe('second[]');
      expect(calls()).toEqual(['configure', 'build', 'configure', 'build']);
    });

    test('an engine that does not build says where', async () => {
      checkout.linkPackages();
      checkout.writeEngine('first');
      checkout.write('engine/cli.ts', "import { nothing } from './missing.ts';\nnothing();\n");
      const { code, stderr } = await checkout.run(only('dist'));
      expect(code).toBe(1);
      expect(stderr).toContain('missing.ts');
    });
  });

  describe('the doctor', () => {
    test('names everything missing with its remedy, where nothing can be built', async () => {
      const { code, stdout } = await checkout.run(['cli', 'doctor', '--json'], { PATH: checkout.onlyPrograms({}) });
      const report = JSON.parse(stdout);
      expect(code).toBe(1);
      expect(report.ok).toBe(false);
      const missing = report.findings.filter((finding: { status: string }) => finding.status === 'missing');
      expect(missing.map((finding: { name: string }) => finding.name)).toEqual([
        'npm packages',
        'Python 3',
        'C++ compiler',
        'libtorch',
        'addon',
      ]);
      for (const finding of missing) expect(finding.hint).toMatch(/^Run: .+/);
    });

    test('says how an NVIDIA device would be used', async () => {
      const smi = '#!/bin/sh\necho 580.65.06\n';
      const PATH = checkout.onlyPrograms({ 'nvidia-smi': smi, ...buildTools });
      const { stdout } = await checkout.run(['cli', 'doctor'], {
        PATH,
        GRADLOOM_LIBTORCH: checkout.writeLibtorch('torch'),
      });
      expect(stdout).toContain('580.65.06, but the libtorch in use has no CUDA part');
      expect(stdout).toContain('export GRADLOOM_LIBTORCH=');
    });

    test('leaves everything as it is', async () => {
      mkdirSync(checkout.cache, { recursive: true });
      await checkout.run(['cli', 'doctor']);
      expect(readdirSync(checkout.cache)).toEqual([]);
      expect(existsSync(checkout.path('dist'))).toBe(false);
    });
  });
});
