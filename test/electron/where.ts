/** Rewrites `:where(…)` for a Chromium that does not know it: the pages can then be driven there, whatever they look like. */

interface Rule {
  selectors: string[];
}

/** A PostCSS plugin. */
export const expandWhere = {
  postcssPlugin: 'expand-where',
  Rule(rule: Rule) {
    if (rule.selectors.some((selector) => selector.includes(':where('))) {
      rule.selectors = rule.selectors.flatMap(withoutWhere);
    }
  },
};

/** One selector for each alternative; `:where(a, b) c` becomes `a c`, `b c`. */
export function withoutWhere(selector: string): string[] {
  const start = selector.indexOf(':where(');
  if (start === -1) return [selector];
  const from = start + ':where('.length;
  const alternatives: string[] = [];
  let depth = 1;
  let part = from;
  let end = from;
  for (; end < selector.length && depth > 0; end++) {
    const letter = selector[end];
    if (letter === '(' || letter === '[') depth++;
    if (letter === ')' || letter === ']') depth--;
    if ((letter === ',' && depth === 1) || depth === 0) {
      alternatives.push(selector.slice(part, end).trim());
      part = end + 1;
    }
  }
  const before = selector.slice(0, start);
  const after = selector.slice(end);
  return alternatives.flatMap((inner) => {
    // An element's name cannot follow a class.
    const joined = /^[a-z]/i.test(inner) && /[^\s>+~]$/.test(before) ? `:-webkit-any(${inner})` : inner;
    return withoutWhere(before + joined + after);
  });
}
