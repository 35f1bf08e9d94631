/** Which letters of a line of Python are what; loaded when code is shown. */
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/python';

export interface Token {
  text: string;
  /** Of the stylesheet; null: plain. */
  kind: TokenKind | null;
}

export type TokenKind = 'keyword' | 'string' | 'number' | 'comment' | 'name';

const kinds = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword], class: 'keyword' },
  { tag: [tags.moduleKeyword, tags.bool, tags.null, tags.self], class: 'keyword' },
  { tag: [tags.string, tags.special(tags.string)], class: 'string' },
  { tag: tags.number, class: 'number' },
  { tag: [tags.comment, tags.lineComment], class: 'comment' },
  {
    tag: [
      tags.className,
      tags.definition(tags.className),
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.function(tags.definition(tags.variableName)),
    ],
    class: 'name',
  },
]);

/** Lines that were looked at; most of them stay what they are from one edit to the next. */
const seen = new Map<string, Token[]>();
const mostSeen = 4000;

/** No text goes over several lines, so that each line can be looked at by itself. */
export function pythonTokens(line: string): Token[] {
  const known = seen.get(line);
  if (known) return known;
  const start = line.length - line.trimStart().length;
  const code = line.slice(start);
  const tokens: Token[] = start === 0 ? [] : [{ text: line.slice(0, start), kind: null }];
  let at = 0;
  const plain = (to: number) => {
    if (to > at) tokens.push({ text: code.slice(at, to), kind: null });
  };
  highlightTree(parser.parse(code), kinds, (from, to, kind) => {
    plain(from);
    tokens.push({ text: code.slice(from, to), kind: kind.split(' ')[0] as TokenKind });
    at = to;
  });
  plain(code.length);
  if (seen.size >= mostSeen) seen.clear();
  seen.set(line, tokens);
  return tokens;
}
