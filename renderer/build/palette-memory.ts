/** What the palette remembers from one time to the next: the kinds used lately, the groups that are closed or shown whole. */

const recentKey = 'gradloom.build.recent';
const mostRecent = 4;

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing: it lasts until the page is left.
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

export function readRecent(): string[] {
  return texts(read(recentKey)).slice(0, mostRecent);
}

export function addRecent(recent: readonly string[], id: string): string[] {
  const next = [id, ...recent.filter((each) => each !== id)].slice(0, mostRecent);
  keep(recentKey, next);
  return next;
}

/** By a group's label: closed, or with its rarer kinds. Absent: open, without. */
export type GroupState = 'closed' | 'whole';
export type GroupStates = Readonly<Record<string, GroupState>>;

const groupsKey = 'gradloom.build.groups';

export function readGroups(): GroupStates {
  const kept = read(groupsKey);
  if (typeof kept !== 'object' || kept === null) return {};
  return Object.fromEntries(Object.entries(kept).filter(([, state]) => state === 'closed' || state === 'whole'));
}

export function setGroup(groups: GroupStates, label: string, state: GroupState | null): GroupStates {
  const { [label]: _, ...rest } = groups;
  const next = state === null ? rest : { ...rest, [label]: state };
  keep(groupsKey, next);
  return next;
}
