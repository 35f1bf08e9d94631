/**
 * Where this process may read data: everywhere, or, as the worker of a shell with a root, only where its windows may reach. Sources ask before
 * they open a path that a file of theirs names.
 */
import { Places } from '../places.ts';

let places = new Places(null);

export function limitReach({ root, also }: { root: string; also: string[] }): void {
  places = new Places(root, also);
}

/** The absolute path, if it may be read. @throws GradloomError NOT_READABLE outside of the root, BAD_CALL for one that is not absolute */
export function reach(path: string): Promise<string> {
  return places.reach(path);
}

export function mayRead(path: string): Promise<boolean> {
  return places.reach(path).then(
    () => true,
    () => false,
  );
}
