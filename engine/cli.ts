/** The command line's entry: `gradloom COMMAND …`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootDir } from '../native/setup/paths.mjs';
import type { Context } from './cli/context.ts';
import { codeOfError } from './cli/exit-codes.ts';
import { Output } from './cli/output.ts';
import { runProgram } from './cli/program.ts';
import { GradloomError } from './contract/errors.ts';

const words = process.argv.slice(2);
const out = new Output(words.includes('--json'));
const context: Context = { out, exitCode: 0 };

/** Commands that only tell end when nobody listens any more; those that train go on. */
const training = new Set(['train', 'resume', 'demo']);
out.surviveLostOutput(({ code }) => {
  if (!words.some((word) => training.has(word))) process.exit(code === 'EPIPE' ? 0 : 1);
});

async function end(code: number): Promise<never> {
  await out.flush();
  process.exit(code);
}

function fail(thrown: unknown): Promise<never> {
  const error = GradloomError.from(thrown);
  // An unforeseen fault is ours: what led to it belongs in a report.
  const unforeseen = error.code === 'INTERNAL';
  const hint = 'This is a fault of Gradloom: report it with what GRADLOOM_DEBUG=1 adds to this message.';
  out.error({ ...(unforeseen ? { hint } : {}), ...error.toInfo() });
  if (unforeseen && process.env.GRADLOOM_DEBUG) console.error(error);
  return end(codeOfError(error.code));
}

process.on('uncaughtException', fail);

try {
  const { version } = JSON.parse(readFileSync(join(rootDir(), 'package.json'), 'utf8')) as { version: string };
  await runProgram(words, version, context);
  await end(context.exitCode);
} catch (thrown) {
  await fail(thrown);
}
