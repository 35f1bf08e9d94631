/** `settings.json` of the workspace: a person's settings and the projects that were open lately. */
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type Settings, settingsSchema } from './contract/api.ts';
import { makeFolders, writeWhole } from './files.ts';
import { checkThreads, threadsHere } from './threads.ts';
import { workspaceDir } from './workspace.ts';

const mostRecent = 30;
const { theme, threads, device, cache_limit } = settingsSchema.shape;
const gibibyte = 2 ** 30;

const recentSchema = z.object({ file: z.string(), name: z.string(), opened: z.string() });
type Recent = z.infer<typeof recentSchema>;

/** Loose: what another version keeps there stays. A value that is no good is as if it were absent. */
const storedSchema = z.looseObject({
  version: z.literal(1).catch(1),
  theme: theme.catch('system'),
  threads: threads.refine((count) => count === null || count <= threadsHere()).catch(null),
  device: device.catch(null),
  cache_limit: cache_limit.catch(null),
  recent: z
    .array(z.unknown())
    .catch([])
    .transform((list) => list.flatMap((entry) => recentSchema.safeParse(entry).data ?? [])),
});
type Stored = z.infer<typeof storedSchema>;

/** Read at each use and written as a whole: another window or program may have changed it. */
export class SettingsFile {
  readonly #file: string;
  /** Changes follow one another; each starts from what the one before has left. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(home: string = workspaceDir()) {
    this.#file = path.join(home, 'settings.json');
  }

  async read(): Promise<Settings> {
    const { theme, threads, device, cache_limit } = await this.#read();
    return { theme, threads, device, cache_limit };
  }

  /** @throws GradloomError BAD_CALL for more threads than this machine can use, NOT_WRITABLE, DISK_FULL */
  async change(changes: { [Key in keyof Settings]?: Settings[Key] | undefined }): Promise<Settings> {
    if (typeof changes.threads === 'number') checkThreads(changes.threads);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    await this.#write((stored) => ({ ...stored, ...given }));
    return this.read();
  }

  /** What the cache's packs may take together, in bytes; null: no limit. */
  async cacheBytes(): Promise<number | null> {
    const { cache_limit } = await this.read();
    return cache_limit === null ? null : cache_limit * gibibyte;
  }

  /** The latest first. */
  async recent(): Promise<Recent[]> {
    return (await this.#read()).recent;
  }

  async remember(file: string, name: string): Promise<void> {
    const opened = new Date().toISOString();
    await this.#write((stored) => ({
      ...stored,
      recent: [{ file, name, opened }, ...stored.recent.filter((one) => one.file !== file)].slice(0, mostRecent),
    }));
  }

  async forget(file: string): Promise<void> {
    await this.#write((stored) => ({ ...stored, recent: stored.recent.filter((one) => one.file !== file) }));
  }

  async #read(): Promise<Stored> {
    const text = await readFile(this.#file, 'utf8').catch(() => '{}');
    return storedSchema.safeParse(parsed(text)).data ?? storedSchema.parse({});
  }

  async #write(change: (stored: Stored) => Stored): Promise<void> {
    const done = this.#last.then(async () => {
      const text = await readFile(this.#file, 'utf8').catch(() => '{}');
      // What cannot be read may still be mended by hand.
      if (!storedSchema.safeParse(parsed(text)).success) {
        await rename(this.#file, `${this.#file}.damaged-${Date.now()}`).catch(() => {});
      }
      const next = change(storedSchema.safeParse(parsed(text)).data ?? storedSchema.parse({}));
      await makeFolders(path.dirname(this.#file));
      await writeWhole(this.#file, (file) => file.writeFile(`${JSON.stringify(next, null, 2)}\n`));
    });
    this.#last = done.catch(() => {});
    await done;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
