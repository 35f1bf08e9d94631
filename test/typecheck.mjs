// @ts-check
/** Type-checks every folder that has a tsconfig.json, two at a time, and prints what each found. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['engine/contract', 'engine', 'electron', 'renderer', 'native', 'test'].filter((folder) =>
  existsSync(path.join(root, folder, 'tsconfig.json')),
);
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** @param {string} folder @returns {Promise<boolean>} */
function check(folder) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [compiler, '-p', folder, '--pretty', 'false'],
      { cwd: root },
      (error, stdout, stderr) => {
        process.stdout.write(`types: ${folder} ${error ? 'FAILED' : 'ok'}\n${stdout}${stderr}`);
        resolve(error === null);
      },
    );
  });
}

const results = [];
for (let i = 0; i < folders.length; i += 2) {
  results.push(...(await Promise.all(folders.slice(i, i + 2).map(check))));
}
process.exitCode = results.every(Boolean) ? 0 : 1;
