// @ts-check
/**
 * Everything a change must pass, on a machine that may be new: tells every step's time, goes on after a failure, and closes with
 * one line `N passed, N failed`. Lint, types and sanitizers count as one test each.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { counts, root, suites } from './suites.mjs';

const reports = mkdtempSync(path.join(os.tmpdir(), 'gradloom-ci-'));
// Runs of the tests stay away from a person's own workspace; the cache is shared, that is its purpose.
const home = path.join(reports, 'home');
mkdirSync(home);
const env = { ...process.env, GRADLOOM_HOME: home, CI: 'true', FORCE_COLOR: '0' };

/**
 * @param {string} name
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
function step(name, args) {
  process.stdout.write(`\n=== ${name}\n`);
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', () => resolve(-1));
    child.on('close', (code) => {
      process.stdout.write(
        `=== ${name}: ${code === 0 ? 'ok' : `FAILED (${code})`}, ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
      );
      resolve(code ?? -1);
    });
  });
}

let passed = 0;
let failed = 0;
/** @param {number} code */
const one = (code) => (code === 0 ? passed++ : failed++);

const ready = await step('set-up', ['native/setup/main.mjs', 'setup']);
one(ready);
if (ready === 0) {
  for (const suite of ['fast', 'journeys', 'e2e', 'electron', 'sanitize', 'parity']) {
    if (suite === 'parity') one(await step("parity's PyTorch", ['test/parity/environment.mjs']));
    for (const command of suites[suite]?.([], reports) ?? []) {
      const code = await step(command.name, command.args);
      if (command.report === undefined) one(code);
      else if (existsSync(command.report)) {
        const found = counts(command.report);
        passed += found.passed;
        failed += found.failed;
        // A crash after the last test, or an unhandled rejection, fails the run without failing a test.
        if (code !== 0 && found.failed === 0) failed++;
        // A suite that skips itself shows nothing: only Electron may be out of reach.
        else if (found.passed === 0 && suite !== 'electron') failed++;
      } else failed++;
    }
  }
}
rmSync(reports, { recursive: true, force: true });
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
