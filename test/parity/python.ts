/** The real PyTorch that parity tests compare with: a virtual environment in the cache, made on first use. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { withLock } from '../../native/setup/lock.mjs';
import { cacheDir, libtorchVersion } from '../../native/setup/paths.mjs';

const packages = [`torch==${libtorchVersion}`, 'numpy', 'safetensors'];

let found: Promise<string> | undefined;

/**
 * Path of a Python with torch, numpy and safetensors. `GRADLOOM_PARITY_PYTHON` names one; otherwise an environment in the cache is
 * made once (about 4 GB on Linux, where pip brings CUDA's parts along) with pip's progress on standard error.
 */
export function parityPython(): Promise<string> {
  found ??= findPython();
  return found;
}

async function findPython(): Promise<string> {
  const named = process.env.GRADLOOM_PARITY_PYTHON;
  if (named) {
    if (!existsSync(named)) throw new Error(`GRADLOOM_PARITY_PYTHON is set to ${named}, which does not exist`);
    return named;
  }
  const folder = path.join(cacheDir(), 'parity', `torch-${libtorchVersion}`);
  const python = path.join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const done = path.join(folder, 'complete');
  if (existsSync(done)) return python;
  await withLock(path.join(cacheDir(), 'parity.lock'), async () => {
    if (existsSync(done)) return;
    mkdirSync(path.dirname(folder), { recursive: true });
    if (!existsSync(python)) {
      rmSync(folder, { recursive: true, force: true });
      await run(process.env.PYTHON ?? 'python3', ['-m', 'venv', folder]);
    }
    // An interrupted pip run is simply run again: what is installed stays, what was fetched is in pip's own cache.
    await run(python, ['-m', 'pip', 'install', '--disable-pip-version-check', ...packages]);
    await run(python, ['-c', 'import torch, numpy, safetensors']);
    const stamp = `${done}.${process.pid}`;
    mkdirSync(stamp);
    renameSync(stamp, done);
  });
  return python;
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 2, 2] });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with code ${code}`)),
    );
  });
}

/** Runs a Python file of this folder: `request` goes in as JSON on standard input, its last line of standard output comes back parsed. */
export async function runPython<Answer>(file: string, request: unknown): Promise<Answer> {
  const python = await parityPython();
  return new Promise((resolve, reject) => {
    const child = spawn(python, [path.join(import.meta.dirname, file)], { stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const line = out.trimEnd().split('\n').at(-1) ?? '';
      if (code === 0) resolve(JSON.parse(line) as Answer);
      else reject(new Error(`${file} ended with code ${code}\n${err}`));
    });
    child.stdin.end(JSON.stringify(request));
  });
}
