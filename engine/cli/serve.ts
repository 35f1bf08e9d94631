/** `serve`: the browser shell, until a signal ends it. */
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { openEngine } from '../api/engine.ts';
import { GradloomError } from '../contract/errors.ts';
import { nodeProcesses } from '../processes.ts';
import { loopback, type Shell, startShell } from '../serve.ts';
import { isLoopback } from '../serve-guard.ts';
import { workspaceDir } from '../workspace.ts';
import { type AddCommand, withSignals } from './context.ts';
import { type Signal, signalCode } from './exit-codes.ts';
import type { Output } from './output.ts';

interface ServeOptions {
  port?: number;
  host: string;
  root?: string;
  open: boolean;
}

export const addServe: AddCommand = (program, context) => {
  const { out } = context;
  program
    .command('serve')
    .argument('[project]', 'project file to open')
    .option('--port <port>', 'port to listen on (default: one that is free)', portNumber)
    .option('--host <host>', 'address to listen on', loopback)
    .option('--root <dir>', 'folder below which files are picked (default: the workspace)')
    .option('--no-open', 'do not open the browser')
    .summary('serve the window to a browser')
    .description(
      'Serves the window to a browser, at an address that holds a token. Ends by a signal; live runs are saved.',
    )
    .action(async (project: string | undefined, { host, port, root, open }: ServeOptions) => {
      const log = (text: string) => process.stderr.write(`${text}\n`);
      if (project !== undefined && !existsSync(project)) {
        throw new GradloomError('BAD_CALL', `${project} does not exist`, {
          hint: 'Name a project file (*.gradloom.json), or none.',
          path: path.resolve(project),
        });
      }
      const engine = openEngine({ processes: nodeProcesses, root: rootFolder(root), log });
      const shell = await startShell({ engine, host, log, ...(port === undefined ? {} : { port }) });
      // The browser keeps what follows the # when it is sent on.
      const place = project === undefined ? '' : `#/build?project=${encodeURIComponent(path.resolve(project))}`;
      const url = shell.url + place;
      out.object({ type: 'serve', url });
      greet(out, shell, url);
      if (open && !out.json && hasScreen()) openBrowser(shell.ticketUrl() + place);
      const ended = new Promise<Signal>((resolve) => {
        void withSignals(resolve, async () => {
          await new Promise(() => {}); // signals are listened to until the process ends
        });
      });
      const signal = await ended;
      out.say(`${signal} received: saving live runs. Once more ends at once, without saving.`);
      await Promise.all([engine.close(), shell.close()]);
      context.exitCode = signalCode[signal];
    });
};

function rootFolder(given: string | undefined): string {
  if (given === undefined) return workspaceDir(); // made on first use
  const folder = path.resolve(given);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new GradloomError('BAD_CALL', `${folder} is no folder that is there`, {
    hint: 'Give the folder below which projects and data are picked.',
    path: folder,
  });
}

function greet(out: Output, { host, port }: Shell, url: string): void {
  out.say(`Gradloom is at ${out.style('cyan', url)}`);
  out.say('Whoever has this address can use it. Ctrl+C ends the shell and saves live runs.');
  if (isLoopback(host)) {
    if (process.env.SSH_CONNECTION)
      out.say(`From another computer: ssh -L ${port}:${loopback}:${port} HOST, then the same address.`);
    return;
  }
  out.say(
    `${out.style('yellow', 'Warning:')} it listens on ${host}, for other computers too, and what is sent is not encrypted. ` +
      `Safer: leave --host away and use a tunnel, ssh -L ${port}:${loopback}:${port} HOST.`,
  );
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}

/** Whether a browser that is started here is seen by who has started this. */
function hasScreen(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, CI } = process.env;
  if (SSH_CONNECTION || CI || process.stdout.isTTY !== true) return false;
  return process.platform === 'darwin' || process.platform === 'win32' || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/** One that cannot be started is no fault: the address is printed. */
function openBrowser(url: string): void {
  const [command, ...words] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  const child = spawn(command as string, words, { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
