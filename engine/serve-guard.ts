/** Who may speak to the browser shell: the right host and origin, and whoever holds the token. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import os from 'node:os';

/** A ticket that a browser is started with is good for this long, once. */
const ticketMs = 60_000;

export class Guard {
  /** 32 random bytes. */
  readonly token = randomBytes(32).toString('base64url');
  /** What a browser keeps: follows from the token, and does not tell it. */
  readonly #session = createHmac('sha256', this.token).update('session').digest('base64url');
  readonly #tickets = new Map<string, number>();
  readonly #bound: string;

  /** `host`: what the server is bound to. */
  constructor(host: string) {
    this.#bound = host.toLowerCase();
  }

  /** Loopback names only, unless the shell was asked to listen elsewhere. Any port: a tunnel may have another one. */
  isOurHost(header: string | undefined): boolean {
    const name = hostName(header);
    if (name === null) return false;
    if (isLoopback(name)) return true;
    if (isLoopback(this.#bound)) return false;
    // A name could be made to lead here by whoever owns it; an address is what was meant.
    return net.isIP(name) !== 0 || name === this.#bound || name === os.hostname().toLowerCase();
  }

  /** A page that sends an origin must be ours. */
  isOurOrigin({ headers }: IncomingMessage): boolean {
    const { origin, host } = headers;
    if (origin === undefined) return true;
    return origin === `http://${host}` || origin === `https://${host}`;
  }

  isToken(given: string | null): boolean {
    return given !== null && equal(given, this.token);
  }

  /** For the address that a browser is started with: other people of this computer may see it there. */
  newTicket(): string {
    const ticket = randomBytes(32).toString('base64url');
    this.#tickets.set(ticket, performance.now() + ticketMs);
    return ticket;
  }

  isTicket(given: string | null): boolean {
    if (given === null) return false;
    const found = [...this.#tickets].find(([ticket]) => equal(given, ticket));
    if (!found) return false;
    this.#tickets.delete(found[0]);
    return found[1] > performance.now();
  }

  cookieName(port: number): string {
    return `gradloom-${port}`;
  }

  cookie(port: number): string {
    return `${this.cookieName(port)}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** By the cookie, or by `Authorization: Bearer`. */
  isAuthorised({ headers }: IncomingMessage, port: number): boolean {
    const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return equal(bearer, this.token);
    const prefix = `${this.cookieName(port)}=`;
    return (headers.cookie ?? '')
      .split(';')
      .map((part) => part.trim())
      .some((part) => part.startsWith(prefix) && equal(part.slice(prefix.length), this.#session));
  }
}

/** In a time that tells nothing of how much of it is right. */
function equal(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** `127.0.0.1:8080` → `127.0.0.1`, `[::1]:8080` → `::1`; null for what is no host. */
function hostName(header: string | undefined): string | null {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header ?? '');
  return (found?.[1] ?? found?.[2])?.toLowerCase() ?? null;
}

export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (net.isIPv4(name) && name.startsWith('127.'));
}
