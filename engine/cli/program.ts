/** The command line's program: its commands, and its errors in our words. */

import { Command, CommanderError } from 'commander';
import { commandLine } from '../command-line.ts';
import { GradloomError } from '../contract/errors.ts';
import { capital } from '../format.ts';
import { addAutopsy } from './autopsy.ts';
import { addCare } from './care.ts';
import type { AddCommand, Context } from './context.ts';
import { addData } from './data.ts';
import { addDemo } from './demo.ts';
import { addDevices } from './devices.ts';
import { addEvaluate } from './evaluate.ts';
import { addExport } from './export.ts';
import { addFind } from './find.ts';
import { addLayers } from './layers.ts';
import { addLook } from './look.ts';
import { addFit, addNew } from './new.ts';
import { addPlan } from './plan.ts';
import { addRuns } from './runs.ts';
import { addServe } from './serve.ts';
import { addSteer } from './steer.ts';
import { addTrain } from './train.ts';

const commands: AddCommand[] = [
  addTrain,
  addPlan,
  addLayers,
  addLook,
  addNew,
  addFit,
  addEvaluate,
  addExport,
  addRuns,
  addSteer,
  addCare,
  addAutopsy,
  addData,
  addFind,
  addDevices,
  addServe,
  addDemo,
];

/** Runs one command line. Throws GradloomError, BAD_CALL for wrong usage. */
export async function runProgram(words: string[], version: string, context: Context): Promise<void> {
  const { out } = context;
  const program = new Command('gradloom')
    .description('Trains neural networks on PyTorch’s C++ core.')
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option('--json', 'one JSON object a line on standard output; text for people on standard error')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => out.say(text.trimEnd()),
      writeErr: (text) => out.say(text.trimEnd()), // help that was not asked for; errors are shown by whoever catches them
      outputError: () => {},
    });
  for (const add of commands) add(program, context);
  program.hook('preAction', (_program, command) => refuseEmpty(command));
  try {
    if (words.filter((word) => word !== '--json').length === 0) {
      throw new GradloomError('BAD_CALL', 'A command is missing.', {
        hint: `Commands: ${program.commands.map((command) => command.name()).join(', ')}. More with: ${commandLine('--help')}`,
      });
    }
    await program.parseAsync(words, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) throw usageError(thrown, program, words);
  }
}

/** An empty word is a variable that the shell did not have; as a path it would mean the folder one stands in. */
function refuseEmpty(command: Command): void {
  const hint = `See: ${commandLine(command.name(), '--help')}`;
  for (const option of command.options) {
    if (command.getOptionValue(option.attributeName()) !== '') continue;
    throw new GradloomError('BAD_CALL', `The value of ${option.long} is empty.`, { hint });
  }
  if (command.args.includes('')) throw new GradloomError('BAD_CALL', 'An argument is empty.', { hint });
}

/** Commander's `error: unknown option '--foo'\n(Did you mean --bar?)` as what happened and what to do next. */
function usageError(error: CommanderError, program: Command, words: string[]): GradloomError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const guess = /\((Did you mean .*\?)\)/.exec(rest.join(' '))?.[1];
  const command = program.commands.find((each) => words.includes(each.name()));
  const inner = command?.commands.find((each) => words.includes(each.name()));
  const names = [command, inner].flatMap((each) => (each ? [each.name()] : []));
  const help = `See: ${commandLine(...names, '--help')}`;
  if (error.code === 'commander.help' && command) {
    const choices = command.commands.map((each) => each.name()).join(' or ');
    return new GradloomError('BAD_CALL', `After ${command.name()} comes ${choices}.`, { hint: help });
  }
  const message = capital(first);
  return new GradloomError('BAD_CALL', /[.!?]$/.test(message) ? message : `${message}.`, {
    hint: guess ? `${guess} ${help}` : help,
  });
}
