// @ts-check
/** The real PyTorch that parity tests compare with: a virtual environment in the cache, made once. Run by itself it prints the path. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { withLock } from '../../native/setup/lock.mjs';
import { cacheDir, libtorchVersion } from '../../native/setup/paths.mjs';
import { findPython, instruction } from '../../native/setup/system.mjs';

const packages = [
  `torch==${libtorchVersion}`,
  'torchmetrics==1.9.0',
  'torchvision==0.29.2',
  'torchinfo==1.8.0',
  'fvcore==0.1.5.post20221221',
  'numpy',
  'safetensors',
];

/**
 * Path of a Python with torch, torchmetrics, torchvision, torchinfo, fvcore, numpy and safetensors. `GRADLOOM_PARITY_PYTHON` names one; otherwise an environment in the cache is
 * made (about 4 GB on Linux, where pip brings CUDA's parts along) with pip's progress on standard error.
 * @returns {Promise<string>}
 */
export async function ensureParityPython() {
  const named = process.env.GRADLOOM_PARITY_PYTHON;
  if (named) {
    if (!existsSync(named)) throw new Error(`GRADLOOM_PARITY_PYTHON is set to ${named}, which does not exist`);
    return named;
  }
  const folder = path.join(cacheDir(), 'parity', `torch-${libtorchVersion}`);
  const python = path.join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const done = path.join(folder, 'complete');
  // It says what was installed: with more packages than then it is completed.
  const isDone = () => existsSync(done) && readFileSync(done, 'utf8') === packages.join('\n');
  if (isDone()) return python;
  await withLock(path.join(cacheDir(), 'parity.lock'), async () => {
    if (isDone()) return;
    mkdirSync(path.dirname(folder), { recursive: true });
    if (!existsSync(python)) {
      rmSync(folder, { recursive: true, force: true });
      await run(findPython() ?? 'python3', ['-m', 'venv', folder], `Run: ${instruction('venv')}`);
    }
    // An interrupted pip run is simply run again: what is installed stays.
    const install = ['-m', 'pip', 'install', '--disable-pip-version-check', ...packages];
    await run(python, install, 'Check the network and pip’s settings (python3 -m pip config list).');
    await run(
      python,
      ['-c', 'import torch, torchmetrics, torchvision, torchinfo, fvcore.nn, numpy, safetensors'],
      `Remove ${folder} and try again.`,
    );
    writeFileSync(done, packages.join('\n'));
  });
  return python;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} hint
 * @returns {Promise<void>}
 */
function run(command, args, hint) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 2, 2] });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with code ${code}. ${hint}`)),
    );
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(`${await ensureParityPython()}\n`);
}
