/** `data cache`: what imports have left in the cache, and its removal. */
import { type Command, InvalidArgumentError } from 'commander';
import { commandLine } from '../command-line.ts';
import { GradloomError } from '../contract/errors.ts';
import { askHere } from '../data/asks.ts';
import { bytes, plural, table } from '../format.ts';
import { SettingsFile } from '../settings.ts';
import { abortable, type Context } from './context.ts';

interface Options {
  remove?: string[];
  clear?: boolean;
  limit?: number | 'none';
}

/** Enough of a key to be told by. */
const shownKey = 8;

export function addDataCache(data: Command, context: Context): void {
  data
    .command('cache')
    .option('--remove <keys...>', 'remove these: keys of the list, or how they begin')
    .option('--clear', 'remove everything that no run reads, and what tables were read into')
    .option(
      '--limit <GiB>',
      'keep it within so much from now on, the least used go first; none: without a limit',
      limit,
    )
    .summary('list what is imported, or remove it')
    .description(
      'Lists what imports have left in the cache, the latest used first. What is removed is imported again when a run needs it.',
    )
    .action(async ({ remove, clear = false, limit: wanted }: Options) => {
      const { out } = context;
      await abortable(context, async (signal) => {
        if (wanted !== undefined) {
          const { cache_limit } = await new SettingsFile().change({ cache_limit: wanted === 'none' ? null : wanted });
          out.object({ type: 'cache-limit', gib: cache_limit });
          return out.say(
            cache_limit === null ? 'Without a limit.' : `Kept within ${cache_limit} GiB from the next import on.`,
          );
        }
        if (remove || clear) {
          const keys = remove ? await keysOf(remove, signal) : [];
          const { bytes: given } = await (clear ? askHere('clear', {}) : askHere('uncache', { keys }));
          out.object({ type: 'cache-removed', bytes: given });
          return out.say(`Removed: ${bytes(given)}`);
        }
        const packs = await askHere('cache', {}, { signal });
        for (const pack of packs) out.object({ type: 'pack', ...pack });
        if (packs.length === 0) return out.say('Nothing is imported.');
        const state = ({ current, in_use }: (typeof packs)[number]) =>
          in_use ? 'in use' : current ? '' : 'its data changed or are gone';
        const rows = packs.map((pack) => [
          pack.key.slice(0, shownKey),
          bytes(pack.bytes),
          pack.used.slice(0, 16).replace('T', ' '),
          pack.title,
          state(pack),
        ]);
        out.say(table(rows, [1]));
        out.say(`${plural(packs.length, 'import')}, ${bytes(packs.reduce((sum, pack) => sum + pack.bytes, 0))} in all`);
        out.say(`Remove: ${commandLine('data', 'cache', '--remove', 'KEY')}`);
      });
    });
}

function limit(text: string): number | 'none' {
  if (text === 'none') return text;
  const gib = Number(text);
  if (text.trim() !== '' && Number.isFinite(gib) && gib > 0) return gib;
  throw new InvalidArgumentError('Expected a number of GiB > 0, or none.');
}

async function keysOf(given: string[], signal: AbortSignal): Promise<string[]> {
  const known = (await askHere('cache', {}, { signal })).map(({ key }) => key);
  return given.map((start) => {
    const [first, ...more] = known.filter((key) => key.startsWith(start));
    if (first !== undefined && more.length === 0) return first;
    const what = first === undefined ? 'Nothing imported has' : `${more.length + 1} have`;
    throw new GradloomError('BAD_CALL', `${what} a key that begins with ${start}`, {
      hint: `See: ${commandLine('data', 'cache')}`,
    });
  });
}
