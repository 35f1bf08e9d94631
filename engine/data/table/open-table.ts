/** A table opened: its parts, what its columns hold and how each takes part. */
import type { DataNote, Guess } from '../../contract/data/inspect.ts';
import type { TableReading, TableSource } from '../../contract/sources/table.ts';
import type { PartName } from '../../contract/tensors.ts';
import { openFiles, type PartStores } from './files.ts';
import { type ColumnProfile, type ProfileSettings, profileTable } from './profile.ts';
import { decideRoles, type TableRoles } from './roles.ts';
import type { StoreOptions, TableStore } from './store.ts';

export interface OpenTable extends TableRoles {
  parts: PartStores;
  /** Of the training part. */
  profiles: ColumnProfile[];
  guesses: Guess[];
  notes: DataNote[];
}

export function profileSettings({ decimal, missing, columns }: TableSource): ProfileSettings {
  const tokens = Object.entries(columns).flatMap(([name, { missing_tokens }]) =>
    missing_tokens ? [[name, missing_tokens] as const] : [],
  );
  return { decimal, missing, tokens: Object.fromEntries(tokens) };
}

/** @throws GradloomError DATA_*, NOT_READABLE, CANCELLED, DISK_FULL */
export async function openTable(settings: TableSource, baseDir: string, options: StoreOptions): Promise<OpenTable> {
  const { parts, notes } = await openFiles(settings, baseDir, options);
  const profiles = await profileTable(parts.train, profileSettings(settings), options);
  const roles = decideRoles(profiles, settings);
  const usable = withUsableTests(parts, roles, notes);
  return {
    ...roles,
    parts: usable,
    profiles,
    guesses: [...parts.train.guesses, ...decimalGuesses(profiles, settings.decimal), ...roles.guesses],
    notes: [...notes, ...roles.notes],
  };
}

/** Which mark stands before fractions, where columns show it or leave it open. */
export function decimalGuesses(profiles: readonly ColumnProfile[], decimal: TableReading['decimal']): Guess[] {
  const guesses: Guess[] = [];
  const numbers = profiles.filter(({ type }) => type === 'number' || type === 'whole');
  for (const [style, value] of [
    ['comma', ','],
    ['grouped', '.'],
  ] as const) {
    const own = numbers.filter((profile) => profile.style === style);
    const open = own.filter(({ ambiguous }) => ambiguous);
    const sure = own.filter(({ ambiguous }) => !ambiguous);
    if (decimal !== null || (style === 'grouped' && open.length === 0) || own.length === 0) continue;
    const reasons = sure.length > 0 ? [`${few(sure)} can be read in no other way`] : [];
    if (open.length > 0) {
      const instead =
        style === 'comma'
          ? 'groups of three digits could be thousands as well'
          : 'commas before three digits, taken for thousands, could be decimal ones as well';
      reasons.push(`in ${few(open)} ${instead}: say which it is`);
    }
    guesses.push({ key: 'decimal', value, reason: reasons.join('; ') });
  }
  return guesses;
}

const few = (profiles: readonly ColumnProfile[]) =>
  profiles
    .map(({ name }) => name)
    .slice(0, 5)
    .join(', ');

/** A part without the target cannot be measured on: what a competition hands out to be predicted. */
function withUsableTests(parts: PartStores, roles: TableRoles, notes: DataNote[]): PartStores {
  const usable: PartStores = { train: parts.train };
  for (const part of ['val', 'test'] as const satisfies PartName[]) {
    const store: TableStore | undefined = parts[part];
    if (!store) continue;
    const lacking = roles.targets.filter((at) => !store.names.includes(parts.train.names[at] as string));
    if (lacking.length === 0) usable[part] = store;
    else {
      notes.push({
        message: `${store.path} has no column ${lacking.map((at) => parts.train.names[at]).join(', ')}: nothing can be measured on it, and it was left out`,
      });
    }
  }
  return usable;
}
