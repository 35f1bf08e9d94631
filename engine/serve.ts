/** The browser shell: the window's files over HTTP and the engine's calls over a WebSocket, for whoever holds the token. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { RPCHandler } from '@orpc/server/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { rootDir } from '../native/setup/paths.mjs';
import type { Engine } from './api/engine.ts';
import { GradloomError } from './contract/errors.ts';
import { systemError } from './files.ts';
import { WindowFiles } from './serve-files.ts';
import { Guard } from './serve-guard.ts';

export interface ShellOptions {
  engine: Engine;
  /** Absent: loopback. */
  host?: string;
  /** Absent: one that is free. */
  port?: number;
  /** The built window; absent: `dist/renderer`. */
  files?: string;
  log: (text: string) => void;
}

export interface Shell {
  host: string;
  port: number;
  /** With the token: whoever has it may do what the window can do. */
  url: string;
  /** An address that lets one browser in, once. */
  ticketUrl(): string;
  close(): Promise<void>;
}

export const loopback = '127.0.0.1';
/** The longest message of a window; projects are the longest that it has to say. */
const largestMessage = 16 << 20;
const mostConnections = 64;
const pingMs = 30_000;

const everyAnswer = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

/** @throws GradloomError BAD_CALL when the port is taken or may not be opened */
export async function startShell(options: ShellOptions): Promise<Shell> {
  const { engine, log } = options;
  const host = options.host ?? loopback;
  const guard = new Guard(host);
  const files = new WindowFiles(options.files ?? path.join(rootDir(), 'dist', 'renderer'));
  const calls = new RPCHandler(engine.router, engine.handlerOptions);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: largestMessage, perMessageDeflate: false });
  let port = 0;

  const server = http.createServer((request, response) => {
    void answer(request, response, { guard, files, port }).catch((thrown: unknown) => {
      log(String(thrown instanceof Error ? thrown.stack : thrown));
      if (!response.headersSent) send(response, 500, 'Something went wrong; the service has logged it.');
      else response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const refusal = refuse(request, guard) ?? refuseCall(request, guard, port);
    if (refusal !== null) return refuseUpgrade(socket, refusal);
    if (sockets.clients.size >= mostConnections) return refuseUpgrade(socket, 503);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => opened.terminate()); // a message that is too long or malformed
      void calls.upgrade(opened, { context: {} });
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  const ending = keepAlive(sockets);

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, options.port)));
    server.listen(options.port ?? 0, host, resolve);
  });
  port = (server.address() as { port: number }).port;
  const shown = host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? loopback : host;
  const base = `http://${shown === '[::]' ? loopback : shown}:${port}`;
  return {
    host,
    port,
    url: `${base}/?token=${guard.token}`,
    ticketUrl: () => `${base}/?ticket=${guard.newTicket()}`,
    async close() {
      clearInterval(ending);
      for (const socket of sockets.clients) socket.close(1001);
      const closed = new Promise((resolve) => server.close(resolve));
      const impatient = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
      }, 1000);
      server.closeIdleConnections();
      await closed;
      clearTimeout(impatient);
    },
  };
}

type Status = 401 | 403 | 404 | 503;

/** What is wrong with where a request comes from. */
function refuse(request: IncomingMessage, guard: Guard): Status | null {
  const hosts = request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts === 1 && guard.isOurHost(request.headers.host) && guard.isOurOrigin(request) ? null : 403;
}

function refuseCall(request: IncomingMessage, guard: Guard, port: number): Status | null {
  if (pathOf(request) !== '/rpc') return 404;
  return guard.isAuthorised(request, port) ? null : 401;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] as string;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { guard, files, port }: { guard: Guard; files: WindowFiles; port: number },
): Promise<void> {
  const refusal = refuse(request, guard);
  if (refusal !== null) return send(response, refusal, 'This address is not meant to be used from there.');
  const requested = pathOf(request);
  if (requested === '/rpc') {
    if (!guard.isAuthorised(request, port)) return send(response, 401, signIn);
    return send(response, 426, 'The engine is spoken to over a WebSocket.', { Upgrade: 'websocket' });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return send(response, 405, 'Only GET and HEAD are answered here.', { Allow: 'GET, HEAD' });
  }
  if (requested === '/') {
    const query = new URLSearchParams((request.url ?? '').slice(1).replace(/^\?/, ''));
    const [token, ticket] = [query.get('token'), query.get('ticket')];
    if (token !== null || ticket !== null) {
      if (!guard.isToken(token) && !guard.isTicket(ticket)) return send(response, 401, signIn);
      // So that neither the address bar nor the history holds it.
      return send(response, 303, '', { Location: '/', 'Set-Cookie': guard.cookie(port) });
    }
    if (!files.isBuilt) return send(response, 503, 'The window is not built yet. Run: npm run setup');
  }
  const file = await files.read(requested);
  if (!file) return send(response, 404, 'There is nothing here.');
  response.writeHead(200, { ...everyAnswer, ...file.headers, 'Content-Length': file.body.length });
  response.end(request.method === 'HEAD' ? undefined : file.body);
}

const signIn = 'Open the address that gradloom serve has printed: it holds the token that lets you in.';

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  const body = text === '' ? '' : `${text}\n`;
  response.writeHead(status, {
    ...everyAnswer,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

function refuseUpgrade(socket: Duplex, status: Status): void {
  socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** A window behind a tunnel that broke leaves a connection on which nothing comes any more. */
function keepAlive(sockets: WebSocketServer): NodeJS.Timeout {
  const silent = new WeakSet<WebSocket>();
  return setInterval(() => {
    for (const socket of sockets.clients) {
      if (silent.has(socket)) {
        socket.terminate();
        continue;
      }
      silent.add(socket);
      socket.once('pong', () => silent.delete(socket));
      socket.ping();
    }
  }, pingMs).unref();
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number | undefined): Error {
  const where = port === undefined ? host : `${host}:${port}`;
  const hints: Record<string, [string, string]> = {
    EADDRINUSE: ['is used by another program', 'Leave --port away, and a free one is taken.'],
    EACCES: ['may not be opened by you', 'Give a port above 1023, or leave --port away.'],
    EADDRNOTAVAIL: ['is no address of this computer', 'Give one that it has, or leave --host away.'],
    ENOTFOUND: ['is no address', 'Give an address of this computer, or leave --host away.'],
  };
  const known = hints[error.code ?? ''];
  return known
    ? new GradloomError('BAD_CALL', `${where} ${known[0]}`, { hint: known[1], cause: error })
    : systemError(error, where, 'write');
}
