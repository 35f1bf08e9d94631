/** PyTorch code as people write it: the calls of the plan, one argument a line where a line gets long. Pure. */

import { layerTable } from '../../engine/contract/layers/index.ts';
import type { PlannedLayer } from '../../engine/contract/plan-types.ts';

/** Of a line, as most formatters have it. */
const usualWidth = 88;

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
  if (indent.length + code.length <= width) return code;
  const open = /^[\w.=]*[([]/.exec(code)?.[0];
  const close = code.at(-1) ?? '';
  if (open === undefined || !')]'.includes(close)) return code;
  const inner = `${indent}    `;
  const lines = parts(code.slice(open.length, -1)).map((part) => `${inner}${formatPython(part, inner, width)},\n`);
  return lines.length === 0 ? code : `${open}\n${lines.join('')}${indent}${close}`;
}

/** Classes that lines name and torch.nn does not have, each piece of their source once. */
function definitionsOf(kinds: Iterable<string>): string[] {
  const pieces = [...new Set(kinds)].flatMap(
    (kind) => layerTable.get(kind)?.definition?.trimEnd().split(betweenDefinitions) ?? [],
  );
  return [...new Set(pieces)];
}

/** As Python files set classes apart. */
const betweenDefinitions = '\n\n\n';

/** The source of a kind's class; null: torch.nn has it. */
export function definitionCode(kind: string): string | null {
  const pieces = definitionsOf([kind]);
  return pieces.length === 0 ? null : pieces.join(betweenDefinitions);
}

function kindsIn(layers: readonly PlannedLayer[]): string[] {
  return layers.flatMap(({ kind, children = [] }) => [kind, ...children.flatMap((child) => kindsIn(child.layers))]);
}

/** The whole network, complete: what torch.nn does not have stands before it. */
export function modelCode(layers: readonly PlannedLayer[]): string {
  const body = layers.map(({ python }) => `    ${formatPython(python, '    ')},\n`).join('');
  const model = `model = nn.Sequential(${body === '' ? '' : `\n${body}`})\n`;
  return ['import torch\nfrom torch import nn', ...definitionsOf(kindsIn(layers)), model].join(betweenDefinitions);
}
