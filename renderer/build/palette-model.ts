/** The palette's rows in their order, and what the keyboard goes through. Pure. */
import { type Entry, type EntryGroup, type Family, findEntries, groupEntries, type Here } from './entries.ts';
import type { GroupState, GroupStates } from './palette-memory.ts';

/** What Enter does at a place of the list: adds a layer, or opens or closes a group. */
export type Choice = { entry: Entry } | { group: string; to: GroupState | null };

export interface FamilyRow {
  family: Family;
  /** Places of the plain one and of those in 1, 2 and 3 dimensions. */
  plain: number | null;
  sized: number[];
}

export interface GroupRows {
  group: EntryGroup;
  state: GroupState | null;
  /** Place of the heading; null: it stays open. */
  heading: number | null;
  rows: FamilyRow[];
  /** Place of the line that shows more or fewer; null: there are no more. */
  more: number | null;
}

export interface PaletteModel {
  groups: GroupRows[];
  choices: Choice[];
}

function foundGroup(entries: readonly Entry[]): EntryGroup {
  const families = entries.map((entry) => ({
    id: entry.id,
    name: entry.block ?? entry.kind,
    label: entry.label,
    plain: entry,
    sized: [],
    category: entry.category,
  }));
  return { label: '', category: null, families, more: [] };
}

export function paletteModel(
  query: string,
  entries: readonly Entry[],
  recent: readonly string[],
  states: GroupStates,
  here: Here | null,
): PaletteModel {
  const choices: Choice[] = [];
  const place = (choice: Choice) => choices.push(choice) - 1;
  const all = query.trim() === '' ? groupEntries(entries, recent) : [foundGroup(findEntries(query, entries, here))];
  const groups = all.map((group): GroupRows => {
    const { label } = group;
    const closable = group.category !== null;
    const state = closable ? (states[label] ?? null) : null;
    const heading = closable ? place({ group: label, to: state === 'closed' ? null : 'closed' }) : null;
    const shown = state === 'closed' ? [] : state === 'whole' ? [...group.families, ...group.more] : group.families;
    const rows = shown.map((family) => ({
      family,
      plain: family.plain ? place({ entry: family.plain }) : null,
      sized: family.sized.map(({ entry }) => place({ entry })),
    }));
    const more =
      group.more.length > 0 && state !== 'closed'
        ? place({ group: label, to: state === 'whole' ? null : 'whole' })
        : null;
    return { group, state, heading, rows, more };
  });
  return { groups, choices };
}

/** The first place that adds a layer. */
export function firstEntry({ choices }: PaletteModel): number {
  return Math.max(
    0,
    choices.findIndex((choice) => 'entry' in choice),
  );
}
