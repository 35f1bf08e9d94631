/** A whole Gradloom for one test file: a home of its own, a service, a browser; and pages that tell whatever goes wrong in them. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Live, start } from '../engine/cli-process.ts';
import { findChromium, startChromium } from './browser.mjs';
import { connectEngine } from './engine-connection.mjs';

type Chromium = Awaited<ReturnType<typeof startChromium>>;
type EngineConnection = Awaited<ReturnType<typeof connectEngine>>;

/** Why the file's tests are skipped, if they are: build.ts has said so. */
export const noBrowser = findChromium() === null;

const digits = fileURLToPath(new URL('../../assets/data/digits', import.meta.url));

/** What a lost service makes a browser say; asked for by the tests that take it away. */
export const connectionLoss = /WebSocket connection to|ERR_CONNECTION_REFUSED|Failed to load resource/;

export class Studio {
  readonly home = mkdtempSync(path.join(os.tmpdir(), 'gradloom-e2e-'));
  #service: Live | null = null;
  #chromium: Chromium | null = null;
  #connection: EngineConnection | null = null;
  /** With its token. */
  #url = '';
  #faults: string[] = [];
  #allowed: RegExp[] = [];

  async start(): Promise<void> {
    // Where the templates of a workspace expect their data, so that nothing has to be fetched.
    mkdirSync(path.join(this.home, 'data'), { recursive: true });
    cpSync(digits, path.join(this.home, 'data', 'digits'), { recursive: true });
    await this.startService();
    this.#chromium = await startChromium();
  }

  async startService(port = 0): Promise<void> {
    this.#service = start(this.home, ['serve', '--json', ...(port === 0 ? [] : ['--port', String(port)])]);
    const serving = await this.#service.until(({ type }) => type === 'serve');
    this.#url = String(serving.url);
  }

  /** At once, as a crash would. */
  async killService(): Promise<void> {
    this.#connection?.close();
    this.#connection = null;
    this.#service?.kill('SIGKILL');
    await this.#service?.ended;
  }

  /** Processes that the service has started: workers of runs. */
  workers(): number[] {
    const found = spawnSync('pgrep', ['-P', String(this.#service?.pid)], { encoding: 'utf8' });
    return found.stdout.split('\n').filter(Boolean).map(Number);
  }

  get origin(): string {
    return new URL(this.#url).origin;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  get token(): string {
    return new URL(this.#url).searchParams.get('token') ?? '';
  }

  get context(): BrowserContext {
    if (!this.#chromium) throw new Error('The browser is not started');
    return this.#chromium.context;
  }

  /** The engine's calls, as a window makes them. */
  async engine(): Promise<EngineConnection['engine']> {
    this.#connection ??= await connectEngine(this.#url);
    return this.#connection.engine;
  }

  /** A new signed-in window at an address such as `#/runs`. */
  async open(hash = '#/'): Promise<Page> {
    const page = await this.blank();
    await page.goto(`${this.#url}${hash}`);
    await page.getByText('Engine ready').waitFor();
    return page;
  }

  /** A new window that is nowhere yet. */
  async blank(): Promise<Page> {
    const page = await this.context.newPage();
    page.setDefaultTimeout(10_000);
    const note = (fault: string) => {
      if (!this.#allowed.some((pattern) => pattern.test(fault))) this.#faults.push(fault);
    };
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') note(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => note(`uncaught: ${error.stack ?? error.message}`));
    page.on('response', (answer) => {
      if (answer.status() >= 400) note(`${answer.status()} ${new URL(answer.url()).pathname}`);
    });
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) =>
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
      );
    });
    return page;
  }

  /** For the rest of this test: what would be a fault otherwise. */
  allow(...patterns: RegExp[]): void {
    this.#allowed.push(...patterns);
    this.#faults = this.#faults.filter((fault) => !patterns.some((pattern) => pattern.test(fault)));
  }

  /** Of a test that failed: what its windows show. */
  async picture(test: string): Promise<void> {
    const folder = path.join(os.tmpdir(), 'gradloom-e2e-failures');
    for (const [index, page] of (this.#chromium?.context.pages() ?? []).entries()) {
      const file = path.join(folder, `${test.replace(/\W+/g, '-')}-${index}.png`);
      await page.screenshot({ path: file }).then(
        () => process.stderr.write(`shown in ${file}\n`),
        () => {},
      );
    }
  }

  /** Closes the test's windows; what went wrong in them. */
  async endTest(): Promise<string[]> {
    const pages = this.#chromium?.context.pages() ?? [];
    // The last window keeps the browser alive.
    for (const page of pages.slice(1)) await page.close();
    await pages[0]?.goto('about:blank');
    const faults = this.#faults;
    this.#faults = [];
    this.#allowed = [];
    return faults;
  }

  async close(): Promise<void> {
    this.#connection?.close();
    await this.#chromium?.close();
    this.#service?.kill('SIGTERM');
    await this.#service?.ended;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** A studio for the tests of this file. After each of them nothing may have gone wrong in a window. */
export function useStudio(): Studio {
  const studio = new Studio();
  beforeAll(async () => {
    if (!noBrowser) await studio.start();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await studio.picture(task.name);
    expect(await studio.endTest()).toEqual([]);
  });
  afterAll(() => studio.close());
  return studio;
}
