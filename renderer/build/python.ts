/** PyTorch code as people write it: the calls of the plan, one argument a line where a line gets long. Pure. */

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

/** The whole network, with its blocks' helper classes named where it uses them. */
export function modelCode(lines: readonly string[]): string {
  const body = lines.map((line) => `    ${formatPython(line, '    ')},\n`).join('');
  const helpers = ['Residual', 'Parallel', 'Block'].filter((name) =>
    lines.some((line) => new RegExp(`(^|[^.\\w])${name}\\(`).test(line)),
  );
  const note = helpers.length > 0 ? `# ${helpers.join(' and ')}: classes that the exported script defines.\n` : '';
  return `import torch.nn as nn\n\n${note}model = nn.Sequential(${body === '' ? '' : `\n${body}`})\n`;
}
