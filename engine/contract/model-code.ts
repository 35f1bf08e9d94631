/** The network as Python that runs in PyTorch: the calls of the plan as people write them, and which lines are which layer's. Pure. */
import { dims } from './format.ts';
import { layerTable } from './layers/index.ts';
import type { Plan, PlannedLayer } from './plan-types.ts';

/** Of a line, as most formatters have it. */
const usualWidth = 88;
const step = '    ';

export interface CodeLine {
  text: string;
  /** Place in the project of the innermost layer that the line is of; null: of none. */
  place: string | null;
}

export interface ModelCode {
  lines: CodeLine[];
  /** First and last line of each layer, by its place: several where a named block is used more than once. */
  spans: Map<string, [first: number, last: number][]>;
}

/** The arguments of a call or list, split at the commas that are not inside something else. */
function parts(inside: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let quoted = false;
  let from = 0;
  for (let at = 0; at < inside.length; at++) {
    const letter = inside[at] as string;
    if (quoted) {
      if (letter === '\\') at++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if ('([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter)) depth--;
    else if (letter === ',' && depth === 0) {
      found.push(inside.slice(from, at).trim());
      from = at + 1;
    }
  }
  const rest = inside.slice(from).trim();
  return rest === '' ? found : [...found, rest];
}

export function formatPython(code: string, indent = '', width = usualWidth): string {
  const writer = new Writer(width);
  writer.write(code, indent, '', null);
  return writer.lines
    .map(({ text }) => text)
    .join('\n')
    .slice(indent.length);
}

/** A layer that is being written, and those within it that have not been met yet. */
interface Owner {
  place: string;
  pending: PlannedLayer[];
}

const innerLayers = ({ children = [] }: PlannedLayer) => children.flatMap(({ layers }) => layers);

class Writer {
  readonly lines: CodeLine[] = [];
  readonly spans: ModelCode['spans'] = new Map();
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  layer(layer: PlannedLayer, indent: string, end: string): void {
    const first = this.lines.length;
    const owner = { place: layer.place, pending: innerLayers(layer) };
    const [once] = layer.children ?? [];
    if (layer.kind === 'Repeat' && once && indent.length + layer.python.length > this.#width && repeats(layer))
      this.#loop(layer, once.layers, indent, end, owner);
    else this.write(layer.python, indent, end, owner);
    // Whoever was not set apart stands within the lines of the layer around it.
    this.#claim(layer, first, this.lines.length - 1);
    const line = this.lines[first];
    if (line && layer.name !== undefined) line.text += `  # ${layer.name.replace(/\s+/g, ' ').trim()}`;
  }

  /** One argument or entry a line where a line gets long. */
  write(code: string, indent: string, end: string, owner: Owner | null): void {
    const own = owner?.place ?? null;
    const flat = `${indent}${code}`;
    const open = flat.length <= this.#width ? undefined : /^[\w.=]*[([]/.exec(code)?.[0];
    const close = code.at(-1) ?? '';
    const inner = open === undefined || !')]'.includes(close) ? [] : parts(code.slice(open.length, -1));
    if (inner.length === 0) {
      this.#add(`${flat}${end}`, own);
      return;
    }
    this.#add(`${indent}${open}`, own);
    for (const part of inner) {
      const [next] = owner?.pending ?? [];
      if (next?.python === part) {
        owner?.pending.shift();
        this.layer(next, indent + step, ',');
      } else this.write(part, indent + step, ',', owner);
    }
    this.#add(`${indent}${close}${end}`, own);
  }

  /** Copies that are built alike are built in a loop. */
  #loop(layer: PlannedLayer, layers: PlannedLayer[], indent: string, end: string, { place }: Owner): void {
    const inner = indent + step + step;
    this.#add(`${indent}nn.Sequential(`, place);
    this.#add(`${indent}${step}*[`, place);
    const body = { place, pending: layers };
    this.write(`nn.Sequential(${layers.map(({ python }) => python).join(', ')})`, inner, '', body);
    this.#add(`${inner}for _ in range(${layer.children?.length ?? 1})`, place);
    this.#add(`${indent}${step}]`, place);
    this.#add(`${indent})${end}`, place);
  }

  #add(text: string, place: string | null): void {
    this.lines.push({ text, place });
  }

  #claim(layer: PlannedLayer, first: number, last: number): void {
    const had = this.spans.get(layer.place) ?? [];
    if (had.some(([from, to]) => from >= first && to <= last)) return;
    this.spans.set(layer.place, [...had, [first, last]]);
    for (const inner of innerLayers(layer)) this.#claim(inner, first, last);
  }
}

function repeats({ children = [] }: PlannedLayer): boolean {
  const built = children.map(({ layers }) => layers.map(({ python }) => python).join('\n'));
  return built.length > 1 && built.every((text) => text === built[0]);
}

/** Classes that torch.nn does not have, each piece of their source once, those that others are made of first. */
function definitionsOf(kinds: Iterable<string>): string[] {
  const pieces = [...new Set(kinds)].flatMap(
    (kind) => layerTable.get(kind)?.definition?.trimEnd().split(betweenDefinitions) ?? [],
  );
  return [...new Set(pieces)];
}

/** Of these pieces those that the code names, or that such ones name. */
function named(pieces: readonly string[], code: string): string[] {
  const kept: string[] = [];
  for (const piece of pieces.toReversed()) {
    const name = /^(?:class |def |import )?(\w+)/.exec(piece)?.[1];
    if (new RegExp(`\\b${name}\\b`).test([code, ...kept].join('\n'))) kept.unshift(piece);
  }
  return kept;
}

/** As Python files set classes apart. */
const betweenDefinitions = '\n\n\n';

/** The source of a kind's class; null: torch.nn has it. */
export function definitionCode(kind: string): string | null {
  const pieces = definitionsOf([kind]);
  return pieces.length === 0 ? null : pieces.join(betweenDefinitions);
}

function kindsIn(layers: readonly PlannedLayer[]): string[] {
  return layers.flatMap((layer) => [layer.kind, ...kindsIn(innerLayers(layer))]);
}

/** The whole network, complete: what torch.nn does not have stands before it. */
export function modelCode({ layers, input, output }: Pick<Plan, 'layers' | 'input' | 'output'>): ModelCode {
  const writer = new Writer(usualWidth);
  const calls = layers.map(({ python }) => python).join('\n');
  const classes = named(definitionsOf(kindsIn(layers)), calls);
  const before = ['import torch\nfrom torch import nn', ...classes].join(betweenDefinitions);
  for (const text of `${before}${betweenDefinitions}`.split('\n').slice(0, -1))
    writer.lines.push({ text, place: null });
  const plain = (text: string) => writer.lines.push({ text, place: null });
  if (input.length > 0 && output.length > 0) plain(`# N×${dims(input)} → N×${dims(output)}`);
  if (layers.length === 0) plain('model = nn.Sequential()');
  else {
    plain('model = nn.Sequential(');
    for (const layer of layers) writer.layer(layer, step, ',');
    plain(')');
  }
  return { lines: writer.lines, spans: writer.spans };
}

export const codeText = ({ lines }: ModelCode): string => `${lines.map(({ text }) => text).join('\n')}\n`;
