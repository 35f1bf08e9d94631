/**
 * Addresses of the window: path and parameters both lie in the hash (`#/build?project=…`), so that one works as a link, survives a sign-in and
 * needs nothing of whoever serves the files.
 */
import { useSyncExternalStore } from 'react';
import type { BaseLocationHook } from 'wouter';

interface Address {
  path: string;
  search: string;
}

function read(hash: string): Address {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  return { path: `/${path}`, search };
}

/** Where a page names no project, the open one goes along; `/?` is without parameters at all. */
export function resolve(to: string, from: Address): string {
  const { path, search } = read(to);
  if (to.endsWith('?')) return `#${path}`;
  const parameters = new URLSearchParams(search);
  const project = new URLSearchParams(from.search).get('project');
  if (project !== null && !parameters.has('project')) parameters.set('project', project);
  const all = parameters.toString();
  return `#${path}${all === '' ? '' : `?${all}`}`;
}

const here = () => read(window.location.hash);

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  window.addEventListener('popstate', listener);
  return () => {
    window.removeEventListener('hashchange', listener);
    window.removeEventListener('popstate', listener);
  };
}

function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const next = resolve(to, here());
  if (next === window.location.hash) return;
  if (replace) window.history.replaceState(null, '', next);
  else window.history.pushState(null, '', next);
  window.dispatchEvent(new Event('hashchange'));
}

/** Wouter decodes what it is given once, and whoever reads a name out of the path once more: `lr 10%` would be decoded to pieces. */
const asSent = (text: string) => text.replaceAll('%', '%25');

function useHash(): [string, typeof navigate] {
  return [useSyncExternalStore(subscribe, () => asSent(here().path)), navigate];
}

/** A name in a path. One that was typed by hand and is encoded wrongly is taken as it stands. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** For wouter's `Router`. */
export const hashLocation: BaseLocationHook = Object.assign(useHash, {
  searchHook: () => useSyncExternalStore(subscribe, () => asSent(here().search)),
  hrefs: (to: string) => resolve(to, here()),
});
