/** Edits of the roles of a table's columns. Pure. */
import type { TableColumn, TableRole } from '../../engine/contract/data/table.ts';
import type { Edit } from '../../engine/contract/problems.ts';
import { isObject, type JsonObject, setEdit } from '../../engine/contract/report.ts';

const place = ['data', 'source'];
const isTarget = (role: TableRole) => role === 'target_class' || role === 'target_value';

/** `columns`: as they are now. One class is the target at a time: another that was it becomes an input of its own kind again. */
export function roleEdits(
  source: JsonObject,
  columns: readonly TableColumn[],
  names: readonly string[],
  role: TableRole,
): Edit[] {
  const written: JsonObject = isObject(source.columns) ? { ...source.columns } : {};
  const say = (name: string, next: TableRole) => {
    const before = isObject(written[name]) ? written[name] : {};
    written[name] = { ...before, role: next };
  };
  const chosen = new Set(names);
  for (const { name } of columns) if (chosen.has(name)) say(name, role);
  for (const name of names) if (!columns.some((column) => column.name === name)) say(name, role);
  const edits = [setEdit([...place, 'columns'], written)];
  const targets = targetsOf(source);
  if (isTarget(role)) {
    const next = role === 'target_class' ? names.slice(0, 1) : names;
    edits.push(setEdit([...place, 'target'], next.length === 1 ? next[0] : next));
  } else if (targets.some((name) => chosen.has(name))) {
    // What is no target any more leaves the choice to what is.
    const left = targets.filter((name) => !chosen.has(name));
    edits.push(setEdit([...place, 'target'], left.length === 0 ? null : left.length === 1 ? left[0] : left));
  }
  return edits;
}

function targetsOf({ target }: JsonObject): string[] {
  if (typeof target === 'string') return [target];
  return Array.isArray(target) ? target.filter((name) => typeof name === 'string') : [];
}
