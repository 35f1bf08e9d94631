/** The small parts of set-up by themselves: instructions per system, pip's settings, pinned requirements, progress, the lock. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { formatReport } from '../../native/setup/doctor.mjs';
import { pinned } from '../../native/setup/libtorch.mjs';
import { withLock } from '../../native/setup/lock.mjs';
import { createProgress } from '../../native/setup/progress.mjs';
import { checkNode } from '../../native/setup/setup.mjs';
import { instruction, systemFamily } from '../../native/setup/system.mjs';
import { readPipConfiguration } from '../../native/setup/wheels.mjs';

describe('instructions', () => {
  test.each([
    ['ID=debian', 'debian', 'apt-get install -y g++'],
    ['ID=linuxmint\nID_LIKE="ubuntu debian"', 'debian', 'apt-get install -y g++'],
    ['ID="rocky"\nID_LIKE="rhel centos fedora"', 'fedora', 'dnf install -y gcc-c++'],
    ['ID=manjaro\nID_LIKE=arch', 'arch', 'pacman -S --needed gcc'],
    ['ID="opensuse-leap"', 'suse', 'zypper install -y gcc-c++'],
    ['ID=alpine', 'alpine', 'apk add g++'],
    ['ID=something', 'unknown', 'C++20 compiler'],
  ] as const)('%j', (release, family, words) => {
    expect(systemFamily(release, 'linux')).toBe(family);
    expect(instruction('compiler', family)).toContain(words);
  });

  test('macOS and Windows', () => {
    expect(instruction('compiler', systemFamily('', 'darwin'))).toBe('xcode-select --install');
    expect(instruction('cmake', systemFamily('', 'win32'))).toContain('winget');
  });
});

test.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['21.7.0', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['24.1.0', true],
  ['18.20.0', false],
])('Node.js %s will do: %s', (version, fits) => {
  const check = () => checkNode(version);
  if (fits) check();
  else expect(check).toThrow(`This is Node.js ${version}`);
});

test("pip's settings: the environment is stronger than a section, a section than global", () => {
  const text = [
    ":env:.index-url='https://env.example/simple'",
    "global.index-url='https://global.example/simple'",
    "global.cert='/etc/ca.pem'",
    "install.cert='/etc/install.pem'",
    "global.no-index='true'",
    ":env:.no-index='0'",
    "global.extra-index-url='https://a.example/simple\\nhttps://b.example/simple'",
    "freeze.timeout='10'",
  ].join('\n');
  expect(readPipConfiguration(text)).toEqual({
    'index-url': 'https://env.example/simple',
    cert: '/etc/install.pem',
    'extra-index-url': 'https://a.example/simple https://b.example/simple',
  });
});

test('pinned requirements, with extras, markers and parentheses', () => {
  const lines = [
    'cuda-toolkit[cudart,cupti]==13.2.2; platform_system == "Linux"',
    'nvidia-cuda-runtime (==13.2.86.*) ; extra == "cudart"',
    'nvidia-cuda-cupti==13.2.86.*; extra == "cupti"',
    'nvidia-cuda-cupti==13.2.86.*; extra == "all"',
    'sympy>=1.13.3',
  ];
  expect(pinned(lines, /^(cuda-toolkit|nvidia-cuda-(runtime|cupti)|sympy)$/)).toEqual([
    { package: 'cuda-toolkit', version: '13.2.2' },
    { package: 'nvidia-cuda-runtime', version: '13.2.86.*' },
    { package: 'nvidia-cuda-cupti', version: '13.2.86.*' },
  ]);
});

describe('progress', () => {
  const written = (terminal: boolean) => {
    let text = '';
    const stream = {
      isTTY: terminal,
      columns: 60,
      write(part: string) {
        text += part;
      },
    };
    const progress = createProgress(stream as unknown as NodeJS.WriteStream);
    progress.bytes('file', 1 << 20, 4 << 20);
    progress.bytes('file', 4 << 20, 4 << 20);
    progress.say('next');
    return text;
  };

  test('on a terminal redraws one line and keeps the last', () => {
    expect(written(true)).toBe(
      '\r\x1b[2Kfile  1.0 MiB of 4.0 MiB  25 %\r\x1b[2Kfile  4.0 MiB of 4.0 MiB  100 %\nnext\n',
    );
  });

  test('elsewhere prints whole lines only', () => {
    expect(written(false)).toBe('file  4.0 MiB of 4.0 MiB  100 %\nnext\n');
  });
});

test('the report reads as lines with the remedy below', () => {
  const report = {
    ok: false,
    findings: [
      { name: 'Node.js', status: 'ok' as const, found: '22.0.0', path: '/usr/bin/node' },
      { name: 'pip', status: 'missing' as const, found: 'none', hint: 'Run: one\ntwo' },
    ],
  };
  expect(formatReport(report)).toBe(
    [
      'ok       Node.js  22.0.0  (/usr/bin/node)',
      'MISSING  pip      none',
      `${' '.repeat(18)}→ Run: one`,
      `${' '.repeat(20)}two`,
    ].join('\n'),
  );
});

describe('the lock', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gradloom-lock-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('lets one work at a time, whatever fails', async () => {
    const file = path.join(folder, 'one');
    let inside = 0;
    let most = 0;
    const work = async (fail: boolean) => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inside--;
      if (fail) throw new Error('failed');
    };
    const outcomes = await Promise.allSettled([false, true, false].map((fail) => withLock(file, () => work(fail))));
    expect(most).toBe(1);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  test('left by a process that died is taken over', async () => {
    const file = path.join(folder, 'dead');
    writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, host: os.hostname() }));
    expect(await withLock(file, async () => 'done')).toBe('done');
  });

  test('that another took over in the meantime stays where it is', async () => {
    const file = path.join(folder, 'race');
    const left = JSON.stringify({ pid: 2 ** 22 + 1, host: os.hostname() });
    const fresh = JSON.stringify({ pid: process.ppid, host: os.hostname() });
    writeFileSync(file, left);
    let moved = false;
    const kill = vi.spyOn(process, 'kill').mockImplementation((pid) => {
      if (pid === process.ppid) {
        moved ||= !existsSync(file);
        return true;
      }
      writeFileSync(file, fresh); // just then another waiter takes the lock over
      throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
    });
    const waiting = vi.fn(() => rmSync(file));
    await withLock(file, async () => {}, waiting).finally(() => kill.mockRestore());
    expect(waiting).toHaveBeenCalledOnce();
    expect(moved).toBe(false);
  });

  test('is taken over also where a process died in taking it over', async () => {
    const file = path.join(folder, 'twice');
    const left = JSON.stringify({ pid: 2 ** 22 + 1, host: os.hostname() });
    writeFileSync(file, left);
    const kill = vi.spyOn(process, 'kill');
    kill.mockImplementationOnce(() => {
      // The claim that this waiter is about to make is there already.
      const claim = `${file}.${createHash('sha256').update(left).digest('hex').slice(0, 16)}`;
      writeFileSync(claim, JSON.stringify({ pid: 2 ** 22 + 2, host: os.hostname() }));
      throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
    });
    expect(await withLock(file, async () => 'done').finally(() => kill.mockRestore())).toBe('done');
  });

  test('leaves nothing, and takes away what killed set-ups left beside it, but nothing of a living one', async () => {
    const own = path.join(folder, 'leftovers');
    const file = path.join(own, 'setup.lock');
    mkdirSync(own);
    const holder = (pid: number) => JSON.stringify({ pid, host: os.hostname() });
    writeFileSync(`${file}.4194305.abc`, holder(2 ** 22 + 1));
    writeFileSync(`${file}.4194305.abc.stale`, holder(2 ** 22 + 1));
    writeFileSync(`${file}.1.alive`, holder(process.ppid));
    writeFileSync(path.join(own, 'setup.stamp'), holder(2 ** 22 + 1));
    await withLock(file, async () => {});
    expect(readdirSync(own).sort()).toEqual(['setup.lock.1.alive', 'setup.stamp']);
  });
});
