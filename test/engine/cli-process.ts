/** Runs the built command line as its users do: as a process. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const cliFile = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
if (!existsSync(cliFile)) throw new Error('dist/cli.js is not built: run `npm run setup`');

export type Line = { type: string; [key: string]: unknown };

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output parsed line by line; throws where a line is no JSON object with a type. */
  lines: Line[];
}

export interface Live {
  /** Resolves with the first line of that type (and content), also one that has come already. */
  until(match: (line: Line) => boolean): Promise<Line>;
  kill(signal: NodeJS.Signals): void;
  pid: number;
  ended: Promise<Ended>;
}

function parse(text: string): Line[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const value = JSON.parse(line) as Line;
      if (typeof value?.type !== 'string') throw new Error(`no object with a type: ${line}`);
      return value;
    });
}

/** Starts the command line with a home and a cache of its own. */
export function start(home: string, words: string[], environment: NodeJS.ProcessEnv = {}): Live {
  const child = spawn(process.execPath, [cliFile, ...words], {
    env: {
      ...process.env,
      NO_COLOR: undefined,
      GRADLOOM_HOME: home,
      GRADLOOM_CACHE: join(home, 'cache'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let waiting: { match: (line: Line) => boolean; answer: (line: Line) => void; fail: (error: Error) => void }[] = [];
  const settle = () => {
    const lines = parse(stdout.slice(0, stdout.lastIndexOf('\n') + 1));
    waiting = waiting.filter(({ match, answer }) => {
      const found = lines.find(match);
      if (found) answer(found);
      return !found;
    });
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (waiting.length > 0) settle();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      for (const { fail } of waiting)
        fail(new Error(`the process ended (${code}) before the line came\n${stdout}\n${stderr}`));
      resolve({
        code,
        stdout,
        stderr,
        get lines() {
          return parse(stdout);
        },
      });
    });
  });
  return {
    until: (match) =>
      new Promise((answer, fail) => {
        waiting.push({ match, answer, fail });
        settle();
      }),
    kill: (signal) => child.kill(signal),
    pid: Number(child.pid),
    ended,
  };
}

/** Runs the command line to its end. */
export function gradloom(home: string, words: string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return start(home, words, environment).ended;
}

/** A project on random numbers whose epochs take milliseconds; answers its file. */
export function quickProject(folder: string, name: string, epochs: number, samples = 400): string {
  const file = join(folder, `${name}.gradloom.json`);
  const project = {
    gradloom: 1,
    name,
    data: {
      source: { kind: 'random', shape: [6], classes: 3, samples, seed: 1 },
      split: { val: 0.25, seed: 42, stratify: false },
      loader: { batch_size: 50 },
    },
    model: { layers: [{ kind: 'Linear', out_features: 16 }, { kind: 'ReLU' }, { kind: 'Linear', out_features: 3 }] },
    training: { epochs, optimizer: { kind: 'Adam', lr: 0.01 }, device: 'cpu' },
  };
  writeFileSync(file, JSON.stringify(project));
  return file;
}
