/** Runs Python files of this folder against the real PyTorch. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ensureParityPython } from './environment.mjs';

let found: Promise<string> | undefined;

/** Path of a Python with torch, numpy and safetensors; made on first use. */
export function parityPython(): Promise<string> {
  found ??= ensureParityPython();
  return found;
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
    child.stdin.on('error', () => {}); // it ended before reading; its exit code tells
    child.stdin.end(JSON.stringify(request));
  });
}
