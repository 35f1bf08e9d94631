/**
 * Edits of a project's text in place: untouched values keep their spelling, new ones take the style of their neighbours, and each change
 * can be taken back byte for byte. (jsonc-parser reads the text; its own `modify` reformats neighbours and miscounts the last entry of a
 * compact list.)
 */
import { type Node, parseTree } from 'jsonc-parser';
import { GradloomError } from './errors.ts';
import type { Edit } from './problems.ts';

/** Replaces `length` characters at `offset` by `content`. */
export interface TextChange {
  offset: number;
  length: number;
  content: string;
}

const bom = '\uFEFF';
const lineWidth = 100;

/** How objects and lists of a project are written in its text, each by the value that stands for it. */
export type Spellings = WeakMap<object, string>;

const noSpellings: Spellings = new WeakMap();

/** Of every object and list in `project`, which is what `text` says: what an edit moves keeps its spelling by them. */
export function spellingsOf(text: string, project: unknown): Spellings {
  const body = text.startsWith(bom) ? text.slice(1) : text;
  const found: Spellings = new WeakMap();
  const walk = (node: Node | undefined, value: unknown) => {
    if (!node || typeof value !== 'object' || value === null) return;
    const indent = lineIndent(body, node.offset);
    found.set(value, withIndent(body.slice(node.offset, node.offset + node.length), indent, ''));
    for (const [index, child] of (node.children ?? []).entries()) {
      if (Array.isArray(value)) walk(child, value[index]);
      else walk(child.children?.[1], (value as { [key: string]: unknown })[child.children?.[0]?.value as string]);
    }
  };
  walk(parseTree(body, [], { disallowComments: true }), project);
  return found;
}

/** Each line but the first begins with `to` instead of `from`. No text of JSON goes over a line's end. */
function withIndent(text: string, from: string, to: string): string {
  return text.replace(
    /\n([ \t]*)/g,
    (_, had: string) => `\n${had.startsWith(from) ? to + had.slice(from.length) : had}`,
  );
}

/** The text after all edits, made one after the other. Throws BAD_CALL for an edit that has no place in it. */
export function editProject(text: string, edits: readonly Edit[], spelled: Spellings = noSpellings): string {
  return editProjectWithUndo(text, edits, spelled).text;
}

/** Like `editProject`; `undoChanges(text, undo)` gives the old text again, byte for byte. */
export function editProjectWithUndo(
  text: string,
  edits: readonly Edit[],
  spelled: Spellings = noSpellings,
): { text: string; undo: TextChange[] } {
  const undo: TextChange[] = [];
  let now = text;
  for (const edit of edits) {
    const change = changeFor(now, edit, spelled);
    if (!change) continue;
    const { offset, length, content } = change;
    undo.unshift({ offset, length: content.length, content: now.slice(offset, offset + length) });
    now = apply(now, change);
  }
  return { text: now, undo };
}

export function undoChanges(text: string, undo: readonly TextChange[]): string {
  return undo.reduce(apply, text);
}

function apply(text: string, { offset, length, content }: TextChange): string {
  return text.slice(0, offset) + content + text.slice(offset + length);
}

/** The one change that an edit makes; none for the removal of a key that is not there. */
function changeFor(text: string, edit: Edit, spelled: Spellings): TextChange | null {
  const skip = text.startsWith(bom) ? 1 : 0;
  const body = text.slice(skip);
  const at = (offset: number, length: number, content: string) => ({ offset: offset + skip, length, content });
  const refuse = (why: string) =>
    new GradloomError('BAD_CALL', `There is no place ${edit.path.join('.')} to ${edit.op}: ${why}`, {
      path: edit.path.join('.'),
    });
  if (edit.path.length === 0) throw refuse('the path is empty');
  if (edit.op !== 'remove' && edit.value === undefined) throw refuse('the edit has no value');

  let parent = parseTree(body, [], { disallowComments: true });
  if (!parent) throw refuse('the file is empty');
  for (const [depth, key] of edit.path.entries()) {
    const last = depth === edit.path.length - 1;
    const where = edit.path.slice(0, depth).join('.') || 'the file';
    const children: Node[] = parent.children ?? [];
    if (parent.type === 'array') {
      const slots = edit.op === 'insert' && last ? children.length : children.length - 1;
      if (typeof key !== 'number' || !Number.isInteger(key) || key < 0 || key > slots) {
        throw refuse(`${where} is a list of ${children.length}`);
      }
      if (last && edit.op === 'rename') throw refuse('a position in a list has no name');
      if (last) return at(...arrayChange(body, parent, key, edit, spelled));
      parent = children[key] as Node;
    } else if (parent.type === 'object') {
      if (typeof key !== 'string') throw refuse(`${where} is not a list`);
      // Like JSON.parse, the last of two equal keys counts.
      const index = children.findLastIndex((property) => property.children?.[0]?.value === key);
      const [name, value] = children[index]?.children ?? [];
      if (!name || !value) {
        if (edit.op === 'remove') return null;
        if (edit.op === 'rename') throw refuse(`${where} has no ${key}`);
        if (edit.op === 'insert') throw refuse(`${where} has no list ${key}`);
        const rest = edit.path.slice(depth + 1);
        if (rest.some((step) => typeof step === 'number')) throw refuse(`${where} has no ${key}`);
        const made = rest.reduceRight<unknown>((inner, step) => ({ [step]: inner }), edit.value);
        return at(
          ...insertion(
            body,
            parent,
            children.length,
            (indent) => `${JSON.stringify(key)}: ${printed(body, made, indent, spelled)}`,
          ),
        );
      }
      if (last) {
        if (edit.op === 'insert') throw refuse('its path must end with a position in a list');
        if (edit.op === 'remove') return at(...removal(parent, index));
        if (edit.op === 'rename') {
          const to = String(edit.value);
          const taken = to !== key && children.some((property) => property.children?.[0]?.value === to);
          if (taken) throw refuse(`${where} has ${to} already`);
          return at(name.offset, name.length, JSON.stringify(to));
        }
        return at(value.offset, value.length, printed(body, edit.value, lineIndent(body, value.offset), spelled));
      }
      parent = value;
    } else {
      throw refuse(`${where} holds no keys`);
    }
  }
  throw refuse('it leads nowhere');
}

type Change = [offset: number, length: number, content: string];

function arrayChange(body: string, list: Node, index: number, edit: Edit, spelled: Spellings): Change {
  if (edit.op === 'remove') return removal(list, index);
  if (edit.op === 'insert') return insertion(body, list, index, (indent) => printed(body, edit.value, indent, spelled));
  const item = list.children?.[index] as Node;
  return [item.offset, item.length, printed(body, edit.value, lineIndent(body, item.offset), spelled)];
}

/** Takes an entry out with one of its commas. */
function removal(parent: Node, index: number): Change {
  const children = parent.children ?? [];
  const entry = children[index] as Node;
  const before = children[index - 1];
  const after = children[index + 1];
  if (before) {
    const start = before.offset + before.length;
    return [start, entry.offset + entry.length - start, ''];
  }
  if (after) return [entry.offset, after.offset - entry.offset, ''];
  return [parent.offset + 1, parent.length - 2, ''];
}

/** Puts an entry at a position: on its own line where its neighbour begins one, else beside it. */
function insertion(body: string, parent: Node, index: number, print: (indent: string) => string): Change {
  const children = parent.children ?? [];
  const before = children[index - 1];
  const neighbour = before ?? children[0];
  if (!neighbour) {
    const entry = print(lineIndent(body, parent.offset));
    return [parent.offset + 1, parent.length - 2, parent.type === 'array' ? entry : ` ${entry} `];
  }
  const indent = lineIndent(body, neighbour.offset);
  const ownLine = /[\r\n][ \t]*$/.test(body.slice(0, neighbour.offset));
  const gap = ownLine ? `${newlineOf(body)}${indent}` : ' ';
  return before
    ? [before.offset + before.length, 0, `,${gap}${print(indent)}`]
    : [neighbour.offset, 0, `${print(indent)},${gap}`];
}

function newlineOf(body: string): string {
  return body.includes('\r\n') ? '\r\n' : '\n';
}

function lineIndent(body: string, offset: number): string {
  const start = body.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(body.slice(start, offset))?.[0] ?? '';
}

function printed(body: string, value: unknown, indent: string, spelled: Spellings): string {
  const unit = /\n([ \t]+)\S/.exec(body)?.[1] ?? '  ';
  return new Printer(unit, newlineOf(body), spelled).value(value, indent);
}

class Printer {
  readonly #unit: string;
  readonly #newline: string;
  readonly #spelled: Spellings;

  constructor(unit: string, newline: string, spelled: Spellings) {
    this.#unit = unit;
    this.#newline = newline;
    this.#spelled = spelled;
  }

  /** As the file had it; else on one line where it fits, else one entry a line. */
  value(value: unknown, indent: string): string {
    if (typeof value !== 'object' || value === null) return this.#flat(value);
    const had = this.#spelled.get(value);
    if (had !== undefined) return withIndent(had, '', indent);
    const flat = this.#flat(value);
    if (!flat.includes('\n') && indent.length + flat.length <= lineWidth) return flat;
    const inner = indent + this.#unit;
    const entries = Array.isArray(value)
      ? value.map((item) => this.value(item, inner))
      : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${this.value(item, inner)}`);
    if (entries.length === 0) return flat;
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    const line = `${this.#newline}${inner}`;
    return `${open}${line}${entries.join(`,${line}`)}${this.#newline}${indent}${close}`;
  }

  /** Without line ends of its own. */
  #flat(value: unknown): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
    const had = this.#spelled.get(value);
    if (had !== undefined) return had;
    if (Array.isArray(value)) return `[${value.map((item) => this.#flat(item)).join(', ')}]`;
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${this.#flat(item)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
}
