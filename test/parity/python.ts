/** Runs Python files of this folder against the real PyTorch. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ensureParityPython } from './environment.mjs';

let found: Promise<string> | undefined;

/** Path of a Python with torch, torchmetrics, torchvision, torchinfo, fvcore, numpy and safetensors; made on first use. */
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

/** A Python file of this folder that answers requests, one JSON line each, until it is closed. */
export class PythonServer {
  readonly #file: string;
  #child: Promise<ChildProcess> | undefined;
  #waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  #errors = '';

  constructor(file: string) {
    this.#file = file;
  }

  async ask<Answer>(request: unknown): Promise<Answer> {
    this.#child ??= this.#start();
    const child = await this.#child;
    const line = await new Promise<string>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
    return JSON.parse(line) as Answer;
  }

  async close(): Promise<void> {
    (await this.#child)?.stdin?.end();
  }

  async #start(): Promise<ChildProcess> {
    const python = await parityPython();
    const child = spawn(python, [path.join(import.meta.dirname, this.#file)], { stdio: ['pipe', 'pipe', 'pipe'] });
    createInterface({ input: child.stdout }).on('line', (line) => this.#waiting.shift()?.resolve(line));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    const fail = (reason: string) => {
      this.#child = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`${this.#file} ${reason}\n${this.#errors}`));
    };
    child.on('error', (error) => fail(error.message));
    child.on('close', (code) => fail(`ended with code ${code}`));
    child.stdin.on('error', () => {}); // it ended; `close` tells
    return child;
  }
}
