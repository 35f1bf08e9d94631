/** `model.weights_names`: under which names a weights file holds what the network calls otherwise, as torchvision's files do. */
import { isObject, type Place, type Report, setEdit, show } from './report.ts';

/**
 * From names in the file to names in the network. A key stands for a whole name, or for its first parts up to a dot (a module's name, so
 * that one line renames all its tensors); `*` in it stands for one part, or a piece of one, that the value's `*` takes over.
 */
export type WeightsNames = Readonly<Record<string, string>>;

const place: Place = ['model', 'weights_names'];
const example = '{ "features.*": "*", "classifier.6": "29" }';

export function examineWeightsNames(value: unknown, report: Report): WeightsNames | null {
  if (value === undefined || value === null) return null;
  const remove = [{ label: 'Take names as they are in the file', edits: [setEdit(place, null)] }];
  if (!isObject(value)) {
    const message = `Expected an object of names, or null, but received ${show(value)}`;
    report.error('BAD_VALUE', place, message, `Write names in the file before names here: ${example}.`, remove);
    return null;
  }
  const names: Record<string, string> = {};
  for (const [from, to] of Object.entries(value)) {
    if (typeof to !== 'string') {
      const message = `Expected a name in the network, but received ${show(to)}`;
      report.error('BAD_VALUE', [...place, from], message, `Write a text, as in ${example}.`, remove);
    } else if (stars(to) > stars(from)) {
      const message = `${show(to)} has more * than ${show(from)}, whose parts they take over`;
      report.error('BAD_VALUE', [...place, from], message, 'Write as many * as the name in the file has.', remove);
    } else names[from] = to;
  }
  return names;
}

const stars = (text: string) => text.split('*').length - 1;

/** Names in the file as the network has them; those that no key stands for stay. Of several keys the one that says most decides. */
export function renaming(names: WeightsNames | null): (name: string) => string {
  const rules = Object.entries(names ?? {})
    .map(([from, to]) => ({ from: pattern(from), to, says: from.replaceAll('*', '').length }))
    .sort((a, b) => b.says - a.says);
  return (name) => {
    for (const { from, to } of rules) {
      const match = from.exec(name);
      if (!match) continue;
      const parts = match.slice(1, -1);
      const head = to.replaceAll('*', () => parts.shift() ?? '');
      const rest = match.at(-1) ?? '';
      return head === '' || rest === '' ? head + rest : `${head}.${rest}`;
    }
    return name;
  };
}

/** Its last group is what follows the key. */
function pattern(key: string): RegExp {
  if (key === '') return /^(.*)$/;
  const parts = key.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('([^.]+)')}(?:\\.(.*))?$`);
}
