/** What was read of whole files last stays in memory: a source is opened each time that somebody looks at it. */

const remembered = new Map<string, Promise<unknown>>();
const most = 32;

/** `key`: all that the answer depends on. One that failed is asked for again. */
export function remember<T>(key: unknown, read: () => Promise<T>): Promise<T> {
  const name = JSON.stringify(key);
  const known = remembered.get(name);
  if (known) return known as Promise<T>;
  const found = read();
  if (remembered.size >= most) remembered.delete(remembered.keys().next().value as string);
  remembered.set(name, found);
  found.catch(() => {
    if (remembered.get(name) === found) remembered.delete(name);
  });
  return found;
}
