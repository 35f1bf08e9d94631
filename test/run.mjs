// @ts-check
/** Runs one suite by name: `node test/run.mjs [fast|tiny|journeys|e2e|electron|parity|sanitize|long] [part of a file name…]`. Set-up has run before. */
import { spawnSync } from 'node:child_process';
import { root, suites } from './suites.mjs';

const [name = 'fast', ...filters] = process.argv.slice(2);
const suite = suites[name];
if (suite === undefined) {
  process.stderr.write(`No suite "${name}"; there are ${Object.keys(suites).join(', ')}\n`);
  process.exit(2);
}
for (const command of suite(filters)) {
  const { status, signal } = spawnSync(process.execPath, command.args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`\n${command.name}: failed${signal ? ` (${signal})` : ''}\n`);
    process.exit(status ?? 1);
  }
}
