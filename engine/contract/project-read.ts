/** A project's text read: syntax with line and column, keys that stand twice, older versions brought up to date. */
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { GradloomError } from './errors.ts';
import type { Problem } from './problems.ts';
import { migrate } from './project-migrations.ts';
import type { Project } from './project-types.ts';
import { isObject, Report, removeEdit, show } from './report.ts';

export interface ReadProject {
  /** null when the text holds no object: then `problems` says so. */
  project: Project | null;
  /** What only the text can tell (keys that stand twice); everything else is the plan's. */
  problems: Problem[];
  /** The text itself, or, from an older version, the text brought up to date: what edits apply to. */
  text: string;
  /** Names of the migrations made. */
  migrated: string[];
}

/** Deeper nesting than this is no network, and would overrun the stack. */
const deepest = 200;

/** Throws PROJECT_SYNTAX (not JSON; with line, column and the text there) and PROJECT_NEWER. A byte-order mark is tolerated. */
export function readProject(text: string): ReadProject {
  const body = text.replace(/^\uFEFF/, '');
  checkDepth(body);
  const errors: ParseError[] = [];
  const tree = parseTree(body, errors, { disallowComments: true });
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (thrown) {
    const first = errors[0];
    const position = /at position (\d+)/.exec(String(thrown))?.[1];
    throw first
      ? syntaxError(body, first.offset, syntaxWords[printParseErrorCode(first.error)] ?? 'this is not JSON')
      : syntaxError(body, Number(position ?? 0), 'this is not JSON');
  }
  const report = new Report();
  if (!isObject(parsed)) {
    report.error(
      'BAD_VALUE',
      [],
      `A project is an object, but the file holds ${show(parsed)}`,
      'Start from a template.',
    );
    return { project: null, problems: report.problems, text, migrated: [] };
  }
  if (tree) reportDuplicates(tree, body, [], report);
  const migrated = migrate(text, parsed);
  return {
    project: migrated.project as Project,
    problems: report.problems,
    text: migrated.text,
    migrated: migrated.applied,
  };
}

const syntaxWords: { [code: string]: string } = {
  InvalidSymbol: 'this is no JSON value',
  InvalidNumberFormat: 'this is no JSON number',
  PropertyNameExpected: 'a key in double quotes was expected',
  ValueExpected: 'a value was expected',
  ColonExpected: 'a colon was expected',
  CommaExpected: 'a comma was expected',
  CloseBraceExpected: 'a closing } was expected',
  CloseBracketExpected: 'a closing ] was expected',
  EndOfFileExpected: 'nothing more was expected after the project',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'a text is not closed by a double quote',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: 'a \\u escape needs four hexadecimal digits',
  InvalidEscapeCharacter: 'this escape is not known in JSON',
  InvalidCharacter: 'a control character must be escaped',
};

function placeOf(body: string, offset: number): { line: number; column: number } {
  const before = body.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function syntaxError(body: string, offset: number, what: string): GradloomError {
  const { line, column } = placeOf(body, offset);
  const there = body.slice(offset, offset + 40).split(/[\r\n]/)[0] ?? '';
  const found = offset >= body.length ? 'the end of the file' : there === '' ? 'the end of the line' : show(there);
  return new GradloomError(
    'PROJECT_SYNTAX',
    `The project is not JSON: line ${line}, column ${column}: ${what}, found ${found}`,
    {
      hint: `Correct line ${line}, or go back to a version of the file that was saved by Gradloom.`,
    },
  );
}

function checkDepth(body: string): void {
  const scanner = createScanner(body, true);
  let depth = 0;
  // Kinds 1 and 3 open, 2 and 4 close, 17 ends (jsonc-parser's SyntaxKind is a const enum without values at run time).
  for (let kind = scanner.scan() as number; kind !== 17; kind = scanner.scan()) {
    if (kind === 1 || kind === 3) depth++;
    if (kind === 2 || kind === 4) depth--;
    if (depth > deepest) throw syntaxError(body, scanner.getTokenOffset(), `nested deeper than ${deepest} levels`);
  }
}

function reportDuplicates(node: Node, body: string, place: (string | number)[], report: Report): void {
  if (node.type === 'array') {
    for (const [index, item] of (node.children ?? []).entries())
      reportDuplicates(item, body, [...place, index], report);
  }
  if (node.type !== 'object') return;
  const seen = new Map<string, number>();
  for (const property of node.children ?? []) {
    const key = String(property.children?.[0]?.value);
    const first = seen.get(key);
    if (first !== undefined) {
      const at = [...place, key];
      const [earlier, line] = [placeOf(body, first).line, placeOf(body, property.offset).line];
      report.error(
        'DUPLICATE_KEY',
        at,
        `The key ${show(key)} stands twice, in lines ${earlier} and ${line}`,
        'Readers differ on which one counts: keep one.',
        // An edit, like JSON.parse, means the last one.
        [{ label: `Keep the one in line ${earlier}`, edits: [removeEdit(at)] }],
      );
    }
    seen.set(key, property.offset);
    if (property.children?.[1]) reportDuplicates(property.children[1], body, [...place, key], report);
  }
}
