/** Small checkouts in a temporary folder, with their own cache, on which set-up runs as a process of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder with what set-up needs of the repository, and nothing that takes long to build. */
export class Checkout {
  readonly folder: string;
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #top: string;

  /** `cache`: another checkout's, to share it. */
  constructor(cache?: string) {
    this.#top = mkdtempSync(path.join(os.tmpdir(), 'gradloom-setup-'));
    this.folder = path.join(this.#top, 'checkout');
    this.cache = cache ?? path.join(this.#top, 'cache');
    cpSync(path.join(root, 'native', 'setup'), path.join(this.folder, 'native', 'setup'), { recursive: true });
    for (const name of ['package.json', 'package-lock.json'])
      cpSync(path.join(root, name), path.join(this.folder, name));
    // Nothing of the person's own settings reaches the tests.
    const { PATH, HOME, LANG, SYSTEMROOT } = process.env;
    this.env = {
      PATH,
      HOME,
      LANG,
      SYSTEMROOT,
      GRADLOOM_CACHE: this.cache,
      GRADLOOM_HOME: path.join(this.#top, 'home'),
    };
    this.env.PIP_CONFIG_FILE = os.devNull;
    this.env.PYTHONNOUSERSITE = '1';
  }

  path(...parts: string[]): string {
    return path.join(this.folder, ...parts);
  }

  cached(...parts: string[]): string {
    return path.join(this.cache, ...parts);
  }

  write(file: string, text: string, mode?: number): string {
    const place = path.isAbsolute(file) ? file : this.path(file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
    if (mode !== undefined) chmodSync(place, mode);
    return place;
  }

  /** Takes the repository's own node_modules. */
  linkPackages(): void {
    symlinkSync(path.join(root, 'node_modules'), this.path('node_modules'), 'dir');
  }

  /** An engine that Vite builds at once. */
  writeEngine(answer: string): void {
    cpSync(path.join(root, 'engine', 'vite.config.ts'), this.path('engine', 'vite.config.ts'));
    this.write(
      'engine/cli.ts',
      `process.stdout.write(${JSON.stringify(answer)} + JSON.stringify(process.argv.slice(2)));\n`,
    );
    for (const name of ['main', 'provision', 'worker']) this.write(`engine/${name}.ts`, `export const ${name} = 1;\n`);
  }

  /** Sources that only count as bytes, for a CMake that only pretends. */
  writeNative(text: string): void {
    this.write('native/CMakeLists.txt', '# nothing\n');
    this.write('native/src/main.cpp', text);
  }

  /** A folder that looks like a libtorch. */
  writeLibtorch(folder: string, version = '2.15.0', headers = true): string {
    const place = path.isAbsolute(folder) ? folder : path.join(this.#top, folder);
    this.write(path.join(place, 'lib', 'libtorch_cpu.so'), 'cpu');
    this.write(path.join(place, 'lib', 'libc10.so'), 'c10');
    this.write(path.join(place, 'version.py'), `__version__ = '${version}'\n`);
    if (headers) this.write(path.join(place, 'include', 'ATen', 'Tensor.h'), '');
    return place;
  }

  /** Whatever torch this machine's Python may have is shadowed by a file, which is no installed package. */
  hidePythonTorch(): void {
    const folder = path.join(this.#top, 'no-torch');
    this.write(path.join(folder, 'torch.py'), '');
    this.env.PYTHONPATH = folder;
  }

  /** A PATH with these programs only: null stands for the real one, else the script's text. */
  onlyPrograms(programs: Record<string, string | null>): string {
    const bin = path.join(this.#top, `bin-${Object.keys(programs).join('-')}`);
    mkdirSync(bin, { recursive: true });
    for (const [name, script] of Object.entries(programs)) {
      const file = path.join(bin, name);
      this.write(file, script ?? `#!/bin/sh\nexec '${realProgram(name)}' "$@"\n`, 0o755);
    }
    return bin;
  }

  start(args: string[], env: NodeJS.ProcessEnv = {}): { child: ChildProcess; done: Promise<Outcome> } {
    const child = spawn(process.execPath, [this.path('native', 'setup', 'main.mjs'), ...args], {
      cwd: this.folder,
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, so that a test can end it whole
    });
    const done = new Promise<Outcome>((resolve, reject) => {
      let stdout = '';
      let stderr = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
    return { child, done };
  }

  run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    return this.start(args, env).done;
  }

  remove(): void {
    rmSync(this.#top, { recursive: true, force: true });
  }
}

/** The real program behind a name; a version manager's shim would need the rest of PATH, so Python is asked where it is. */
function realProgram(name: string): string {
  const [command, args] =
    name === 'python3'
      ? ['python3', ['-c', 'import sys; print(sys.executable)']]
      : ['/bin/sh', ['-c', `command -v ${name}`]];
  return execFileSync(command as string, args as string[], { encoding: 'utf8' }).trim();
}
