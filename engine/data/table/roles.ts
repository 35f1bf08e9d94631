/** How each column takes part: as the project says, else by its name and all of its values. Pure. */
import type { DataNote, Guess } from '../../contract/data/inspect.ts';
import type { TableRole } from '../../contract/data/table.ts';
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';
import { nearest } from '../../contract/report.ts';
import type { TableSource } from '../../contract/sources/table.ts';
import { type ColumnProfile, typeReason } from './profile.ts';

export interface ColumnRole {
  role: TableRole;
  reason: string;
}

export interface TableRoles {
  /** One a column, in the file's order. */
  columns: ColumnRole[];
  targets: number[];
  guesses: Guess[];
  notes: DataNote[];
}

type RoleSettings = Pick<TableSource, 'target' | 'columns' | 'part_column'>;

/** A text column with more different values than this is no set of categories unless somebody says so. */
const mostCategories = 100;
/** Whole numbers with more different values than this are values, not classes. */
const mostClasses = 20;
/** Texts that look like numbers or dates are categories if no more than so many are different. */
const fewLooks = 10;
/** A text column is no set of categories if it has more different values than this share of its rows. */
const ownValues = 0.5;
/** With fewer rows, that all values differ says little. */
const fewRows = 20;

const targetNames =
  /^(target|label|labels|class|classes|y|species|outcome|category|response|result|income|survived|diagnosis|quality|price|medv)$/i;
const idNames = /^(id|uuid|guid|index|row ?(id|name|number)?|unnamed: ?0|key|#)$|[_\s-](id|uuid|key)$|[a-z]ID$/i;

/** @throws GradloomError DATA_FORMAT where the project names columns that there are not */
export function decideRoles(profiles: readonly ColumnProfile[], settings: RoleSettings): TableRoles {
  const names = profiles.map(({ name }) => name);
  const find = (name: string, place: string): number => {
    const at = names.indexOf(name);
    if (at >= 0) return at;
    const near = nearest(name, names, 3);
    throw new GradloomError('DATA_FORMAT', `The table has no column ${JSON.stringify(name)}.`, {
      hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Its columns: ${names.slice(0, 20).join(', ')}.`,
      path: `data.source.${place}`,
    });
  };
  for (const name of Object.keys(settings.columns)) find(name, 'columns');
  const part = settings.part_column === null ? -1 : find(settings.part_column, 'part_column');
  const said = (at: number): TableRole | undefined => {
    const name = names[at] as string;
    return Object.hasOwn(settings.columns, name) ? settings.columns[name]?.role : undefined;
  };
  const guesses: Guess[] = [];
  const targets = chooseTargets(profiles, settings, said, part, find, guesses);
  const columns = profiles.map((profile, at): ColumnRole => {
    if (at === part) return { role: 'ignore', reason: 'it says which part a row belongs to' };
    const own = said(at);
    const why = typeReason(profile);
    if (targets.includes(at)) return { role: targetRole(profile, own, targets.length), reason: why };
    // A column that was the target before another was named is an input of its own kind again.
    if (own !== undefined && !isTarget(own)) return { role: own, reason: why };
    return inputRole(profile, why);
  });
  checkTargets(columns, targets);
  return { columns, targets, guesses, notes: notesOf(profiles, columns) };
}

const isTarget = (role: TableRole | undefined) => role === 'target_class' || role === 'target_value';

function chooseTargets(
  profiles: readonly ColumnProfile[],
  { target }: RoleSettings,
  said: (at: number) => TableRole | undefined,
  part: number,
  find: (name: string, place: string) => number,
  guesses: Guess[],
): number[] {
  if (target !== null) {
    const chosen = (typeof target === 'string' ? [target] : target).map((name) => find(name, 'target'));
    return [...new Set(chosen)];
  }
  const byRole = profiles.flatMap((_, at) => (isTarget(said(at)) ? [at] : []));
  if (byRole.length > 0) return byRole;
  const free = profiles.flatMap((profile, at) =>
    at !== part && said(at) === undefined && profile.type !== 'empty' && profile.distinct > 1 ? [at] : [],
  );
  const named = free.filter((at) => targetNames.test((profiles[at] as ColumnProfile).name));
  const chosen = named.at(-1) ?? free.at(-1);
  if (chosen === undefined) {
    throw new GradloomError(
      'DATA_FORMAT',
      'The table has no column that could be predicted: none has two different values.',
      {
        hint: 'Name the column to predict: data.source.target.',
        path: 'data.source.target',
      },
    );
  }
  const { name } = profiles[chosen] as ColumnProfile;
  guesses.push({
    key: 'target',
    value: name,
    reason:
      named.length > 0 ? `a column called ${name} is most often what is to be predicted` : 'it is the last column',
  });
  return [chosen];
}

/** Texts and few whole numbers are classes; everything else is a number to come near to. */
function targetRole(profile: ColumnProfile, own: TableRole | undefined, count: number): TableRole {
  if (own === 'target_class' || own === 'categorical') return 'target_class';
  if (own === 'target_value' || own === 'numeric' || count > 1) return 'target_value';
  if (profile.type === 'text' || profile.type === 'date') return 'target_class';
  const few = profile.distinct <= Math.min(mostClasses, Math.max(2, (profile.rows - profile.missing) / 2));
  return profile.type === 'whole' && few ? 'target_class' : 'target_value';
}

function checkTargets(columns: ColumnRole[], targets: number[]): void {
  const classes = targets.filter((at) => columns[at]?.role === 'target_class');
  if (classes.length > 0 && targets.length > 1) {
    throw new GradloomError('DATA_FORMAT', 'One class or several numbers can be predicted, not a class and others.', {
      hint: 'Give one target, or the role target_value to each.',
      path: 'data.source.target',
    });
  }
}

function inputRole(profile: ColumnProfile, why: string): ColumnRole {
  const { type, distinct, name, rows, missing } = profile;
  const present = rows - missing;
  const ignore = (reason: string): ColumnRole => ({ role: 'ignore', reason: `${why}: ${reason}` });
  if (type === 'empty') return { role: 'ignore', reason: why };
  if (distinct === 1 && missing === 0) return ignore('the same everywhere tells nothing');
  const different = distinct === present && present >= fewRows;
  if (type === 'whole') {
    const consecutive = different && (profile.max ?? 0) - (profile.min ?? 0) + 1 === present;
    if (consecutive) return ignore('each number once, without a gap, is a row number');
    if (different && idNames.test(name)) return ignore('all different, and called like an identifier');
    return { role: 'numeric', reason: why };
  }
  if (type === 'number') return { role: 'numeric', reason: why };
  if (type === 'date') return ignore('as numeric they are seconds since 1970');
  if (different) return ignore('all different, as identifiers or free text are');
  if (profile.look !== null && distinct > fewLooks) return ignore(`they look like ${profile.look}`);
  if (present >= fewRows && distinct > ownValues * present) return ignore('nearly each row has a value of its own');
  if (distinct > mostCategories) return ignore('too many to be categories unless you say so');
  return { role: 'categorical', reason: why };
}

function notesOf(profiles: readonly ColumnProfile[], columns: ColumnRole[]): DataNote[] {
  const notes: DataNote[] = [];
  for (const [at, profile] of profiles.entries()) {
    const role = columns[at]?.role;
    if (profile.kept.length > 0 && role !== 'ignore') {
      const kept = profile.kept.map(({ value, count }) => `${JSON.stringify(value)} (${count.toLocaleString('en')})`);
      notes.push({
        message: `Column ${profile.name} is of texts: ${kept.join(', ')} ${kept.length > 1 ? 'are categories' : 'is a category'} there, not missing; missing_tokens of the column says otherwise`,
      });
    }
    if (profile.look !== null && (role === 'categorical' || role === 'ignore')) {
      const so = role === 'ignore' ? 'is ignored' : 'becomes one input for each of them';
      notes.push({
        message: `The values of column ${profile.name} look like ${profile.look}, which are not read as such: it ${so}. Write plain numbers, or dates as 2024-12-31, to train on them`,
      });
    }
    if (profile.oddCount > 0)
      notes.push({ message: `Column ${profile.name}: ${typeReason(profile)}`, count: profile.oddCount });
  }
  const ignored = profiles.filter((_, at) => columns[at]?.role === 'ignore').map(({ name }) => name);
  if (ignored.length > 0) {
    notes.push({
      message: `${plural(ignored.length, 'column')} ${ignored.length > 1 ? 'are' : 'is'} not used as input`,
      names: ignored.slice(0, 200),
      count: ignored.length,
    });
  }
  return notes;
}
