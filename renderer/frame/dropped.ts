/** What was dropped on the window: a project, weights, data, or told what it is instead. Pure. */
import { weightsExtensions } from '../../engine/contract/api-upload.ts';
import { readProject } from '../../engine/contract/project.ts';
import { isObject } from '../../engine/contract/report.ts';

/** Larger than any project. */
export const mostProjectBytes = 8 << 20;

export type DropKind = 'project' | 'weights' | 'data' | 'other';

/** What data comes as; folders do as well. */
const data: { [extension: string]: string } = {
  csv: 'a table',
  tsv: 'a table',
  parquet: 'a table',
  xlsx: 'a table',
  npy: 'an array',
  npz: 'arrays',
  gz: 'packed data',
  zip: 'an archive',
  tar: 'an archive',
  png: 'a picture',
  jpg: 'a picture',
  jpeg: 'a picture',
  webp: 'a picture',
  bmp: 'a picture',
  gif: 'a picture',
  wav: 'a recording',
  mp3: 'a recording',
  flac: 'a recording',
  txt: 'a text',
  jsonl: 'a list of samples',
};

/** Files of other programs that hold networks, which a person may well try. */
const others: { [extension: string]: string } = {
  onnx: 'a network as ONNX',
  h5: 'a network of Keras',
  keras: 'a network of Keras',
  tflite: 'a network of TensorFlow Lite',
  ckpt: 'a checkpoint of another program',
  bin: 'a checkpoint of another program',
  pkl: 'a Python pickle',
  py: 'a Python program',
  ipynb: 'a notebook',
};

/** By the name alone, with what it is in words where that is not told by reading it. */
export function kindOfDrop(name: string, isFolder: boolean): { kind: DropKind; words: string } {
  if (isFolder) return { kind: 'data', words: 'a folder' };
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (extension === 'json') return { kind: 'project', words: 'a project' };
  if ((weightsExtensions as readonly string[]).includes(extension)) return { kind: 'weights', words: 'weights' };
  const words = data[extension] ?? (/(^|[-.])idx\d-ubyte$/.test(name) ? 'packed data' : undefined);
  if (words !== undefined) return { kind: 'data', words };
  return { kind: 'other', words: others[extension] ?? 'a file of another kind' };
}

export type Dropped =
  | { text: string /** Where its data lies is told relative to the place that it came from. */; movedData: boolean }
  | { problem: string; hint: string };

export const whatCanBeDropped =
  'Drop a project (such as digits-mlp.gradloom.json), or weights (.safetensors, .pt) over an open project.';

export function readDropped(name: string, text: string): Dropped {
  if (text.trim() === '') return { problem: `${name} is empty`, hint: whatCanBeDropped };
  let project: unknown;
  try {
    ({ project } = readProject(text));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const problem = `${name} is not a project: ${why.replace(/^The project is not JSON: /, '')}`;
    return { problem, hint: whatCanBeDropped };
  }
  if (!isObject(project) || !('model' in project || 'data' in project || 'training' in project)) {
    return { problem: `${name} is not a project: it has neither data, model nor training`, hint: whatCanBeDropped };
  }
  const source = isObject(project.data) && isObject(project.data.source) ? project.data.source : {};
  const path = source.path;
  return { text, movedData: typeof path === 'string' && !/^([/\\]|[a-z]:)/i.test(path) };
}
