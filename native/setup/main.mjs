// @ts-check
/** The one entry of every npm script: sets up what is missing, then goes on to the app, the demo, the command line or the tests. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatReport, inspect } from './doctor.mjs';
import { makePackage } from './package.mjs';
import { rootDir } from './paths.mjs';
import { createProgress } from './progress.mjs';
import { setUp, steps } from './setup.mjs';
import { start } from './start.mjs';
import { SetupError } from './system.mjs';

const [mode = 'setup', ...rest] = process.argv.slice(2);
const progress = createProgress();

/** @param {string[]} args */
async function runCli(args) {
  const cli = path.join(rootDir(), 'dist', 'cli.js');
  // npm runs scripts in the package's folder; paths on the command line are meant from where it was called.
  if (process.env.npm_lifecycle_event === 'gradloom' && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  process.argv = [process.execPath, cli, ...args];
  await import(pathToFileURL(cli).href);
}

/** @param {string[]} args */
function runNode(args) {
  const child = spawn(process.execPath, args, { cwd: rootDir(), stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
  child.on('close', (code, signal) => {
    process.exitCode = signal ? 128 + (signal === 'SIGINT' ? 2 : 15) : (code ?? 1);
  });
}

async function main() {
  switch (mode) {
    case 'setup': {
      const only = rest[0] === '--only' && rest.length === 2 ? steps.find((step) => step === rest[1]) : undefined;
      if (rest.length > 0 && only === undefined) {
        throw new SetupError(
          'BAD_CALL',
          `Unknown words: ${rest.join(' ')}.`,
          `Call: npm run setup [-- --only ${steps.join('|')}]`,
        );
      }
      const worked = await setUp(progress, only, { window: true });
      if (only === undefined) progress.say(`Ready${worked ? '' : ': nothing to do'}. Next: npm start, or npm run demo`);
      return;
    }
    case 'start':
      await setUp(progress, undefined, { window: true });
      return goOn(await start(rest, progress));
    case 'package':
      await setUp(progress, undefined, { window: true });
      process.exitCode = await makePackage(rest, progress);
      return;
    case 'demo':
      await setUp(progress);
      return runCli(['demo', ...rest]);
    case 'cli':
      if (rest[0] !== 'doctor') await setUp(progress, undefined, { window: rest[0] === 'serve' });
      else if (!hasCommandLine()) return printFindings();
      return runCli(rest);
    case 'test':
    case 'bench': {
      const part = mode === 'bench' && ['ui', 'memory', 'data'].includes(rest[0] ?? '') ? rest[0] : null;
      await setUp(progress, undefined, { window: true });
      const script = mode === 'test' ? 'run.mjs' : path.join('bench', `${part ?? 'main'}.mjs`);
      return runNode([path.join(rootDir(), 'test', script), ...(part ? rest.slice(1) : rest)]);
    }
    default:
      throw new SetupError(
        'BAD_CALL',
        `Unknown mode "${mode}".`,
        'Call: node native/setup/main.mjs [start|setup|demo|cli|test|bench|package]',
      );
  }
}

/** @param {Awaited<ReturnType<typeof start>>} started */
function goOn(started) {
  if ('serve' in started) return runCli(started.serve);
  process.exitCode = started.code;
}

function hasCommandLine() {
  return ['dist/cli.js', 'node_modules/commander'].every((name) => existsSync(path.join(rootDir(), name)));
}

/** The doctor must be able to speak where set-up cannot succeed and no command line is built. */
async function printFindings() {
  const report = await inspect();
  process.stdout.write(
    `${rest.includes('--json') ? JSON.stringify({ type: 'doctor', ...report }) : formatReport(report)}\n`,
  );
  process.exitCode = report.ok ? 0 : 1;
}

main().catch((error) => {
  progress.clear();
  const known = error instanceof SetupError;
  if (mode === 'cli' && rest.includes('--json')) {
    const info = {
      type: 'error',
      code: known ? error.code : 'INTERNAL',
      message: String(error?.message ?? error),
      hint: known ? error.hint : undefined,
    };
    process.stdout.write(`${JSON.stringify({ ...info, time: new Date().toISOString() })}\n`);
  }
  if (known) process.stderr.write(`\nSet-up stopped: ${error.message}\n→ ${error.hint.replaceAll('\n', '\n  ')}\n`);
  else process.stderr.write(`\nSet-up stopped by an unforeseen error: ${error?.stack ?? error}\n`);
  process.exitCode = known && error.code === 'BAD_CALL' ? 2 : 1;
});
