/** Which folders are the parts of a data set: `train`, `val`, `test` and what else people call them, in any case. */
import { GradloomError } from '../../contract/errors.ts';
import type { PartName } from '../../contract/tensors.ts';
import { partOf } from '../part-names.ts';

export interface FoundParts {
  /** Relative folders by part, with a `/` at the end; the whole data set is one part: the training part's is ''. */
  folders: { train: string; val?: string; test?: string };
  /** Folders beside the parts: they belong to none. */
  beside: string[];
}

/**
 * `names`: of every folder below, relative. A folder called `train` makes its siblings parts; a single folder is looked into where it holds
 * them or several folders (archives unpack so). @throws GradloomError DATA_FORMAT, DATA_MISSING
 */
export function findParts(root: string, names: readonly string[]): FoundParts {
  const children = (above: string) =>
    names.filter(
      (name) => name.startsWith(above) && !name.slice(above.length).includes('/') && name.length > above.length,
    );
  let above = '';
  let here = children(above);
  for (let only = here[0]; here.length === 1 && only !== undefined; only = here[0]) {
    const inside = children(`${only}/`);
    if (partOf(only) !== null || inside.length < (holdsTrain(inside) ? 1 : 2)) break;
    above = `${only}/`;
    here = inside;
  }
  const folders: Partial<Record<PartName, string>> = {};
  const beside: string[] = [];
  for (const name of here) {
    const part = partOf(name.slice(above.length));
    if (part === null) beside.push(name);
    else if (folders[part] === undefined) folders[part] = `${name}/`;
    else {
      throw new GradloomError('DATA_FORMAT', `${root} has two folders for one part: ${folders[part]} and ${name}/.`, {
        hint: 'Put their content together, or rename one.',
        path: root,
      });
    }
  }
  const { train, ...others } = folders;
  if (train !== undefined) return { folders: { train, ...others }, beside };
  if (Object.keys(others).length > 0 && beside.length === 0) {
    throw new GradloomError(
      'DATA_MISSING',
      `${root} has a folder ${Object.values(others).join(', ')} but none for training.`,
      {
        hint: 'Add a folder train, or choose the folder of the part itself.',
        path: root,
      },
    );
  }
  return { folders: { train: above }, beside: [] };
}

const holdsTrain = (folders: readonly string[]) =>
  folders.some((name) => partOf(name.split('/').at(-1) ?? '') === 'train');
