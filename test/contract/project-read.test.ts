/** Reading a project's text: what is no JSON, what is newer, what stands twice, what is older. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GradloomError } from '../../engine/contract/errors.ts';
import { readProject } from '../../engine/contract/project.ts';
import { type Migration, migrate } from '../../engine/contract/project-migrations.ts';

describe('text that is not JSON names line, column and what stands there', () => {
  const rows: [text: string, message: string][] = [
    ['', 'line 1, column 1: a value was expected, found the end of the file'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma was expected, found "\\"b\\": 2"'],
    ['{\n  "a": 1,\n}', 'line 3, column 1: a key in double quotes was expected, found "}"'],
    ['{ "a": tru }', 'line 1, column 8: this is no JSON value, found "tru }"'],
    ["{ 'a': 1 }", 'line 1, column 3: this is no JSON value, found "\'a\': 1 }"'],
    ['{ "a" 1 }', 'line 1, column 7: a colon was expected, found "1 }"'],
    ['{ "a": [1, 2 }', 'line 1, column 14: a comma was expected, found "}"'],
    ['{ "a": 1', 'line 1, column 9: a closing } was expected, found the end of the file'],
    ['{ "a": "x\n}', 'line 1, column 8: a text is not closed by a double quote, found "\\"x"'],
    ['{} {}', 'line 1, column 4: nothing more was expected after the project, found "{}"'],
    ['{\r\n  // note\r\n  "a": 1\r\n}', 'line 2, column 3: JSON has no comments, found "// note"'],
    ['\uFEFF{ "a": }', 'line 1, column 8: a value was expected, found "}"'],
    ['PK\u0003\u0004', 'line 1, column 1: this is no JSON value'],
  ];
  test.each(rows)('%j', (text, message) => {
    expect(() => readProject(text)).toThrow(
      expect.objectContaining({ code: 'PROJECT_SYNTAX', message: expect.stringContaining(message) }),
    );
  });

  test('too deep nesting too', () => {
    const deep = `{"model":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(() => readProject(deep)).toThrow(expect.objectContaining({ code: 'PROJECT_SYNTAX' }));
  });

  test('any text is read or refused with its code', () => {
    const almost = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"',
        '1',
        '-',
        '.5',
        'null',
        '\\',
        '\n',
        '\u0000',
        '//',
        ' ',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          almost.map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            const { project, problems } = readProject(text);
            expect(project !== null || problems.length > 0).toBe(true);
            JSON.parse(text);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(GradloomError);
            expect(['PROJECT_SYNTAX', 'PROJECT_NEWER']).toContain((thrown as GradloomError).code);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

test('a newer version is refused', () => {
  expect(() => readProject('{"gradloom": 2}')).toThrow(
    expect.objectContaining({ code: 'PROJECT_NEWER', path: 'gradloom' }),
  );
});

test('a byte-order mark is tolerated and kept', () => {
  const text = '\uFEFF{"gradloom": 1}';
  expect(readProject(text)).toEqual({ project: { gradloom: 1 }, problems: [], text, migrated: [] });
});

test.each(['[1]', '"text"', '7', 'null'])('%s is no project', (text) => {
  expect(readProject(text)).toMatchObject({
    project: null,
    problems: [{ code: 'BAD_VALUE', severity: 'error', path: '' }],
  });
});

test('a key that stands twice is reported with both lines, and the fix keeps the last', () => {
  const text = '{\n  "gradloom": 1,\n  "training": {\n    "epochs": 3,\n    "seed": 1,\n    "epochs": 5\n  }\n}';
  const { problems } = readProject(text);
  expect(problems).toMatchObject([
    {
      code: 'DUPLICATE_KEY',
      severity: 'error',
      path: 'training.epochs',
      message: 'The key "epochs" stands twice, in lines 4 and 6',
      fixes: [{ label: 'Keep the one in line 4', edits: [{ op: 'remove', path: ['training', 'epochs'] }] }],
    },
  ]);
});

describe('migrations', () => {
  // Versions that never were: seconds became milliseconds, then the list got a name.
  const steps: Migration[] = [
    {
      from: 1,
      name: 'wait in milliseconds',
      edits: ({ wait }) => (typeof wait === 'number' ? [{ op: 'set', path: ['wait'], value: wait * 1000 }] : []),
    },
    {
      from: 2,
      name: 'list called items',
      edits: (project) => [
        { op: 'set', path: ['items'], value: project.list },
        { op: 'remove', path: ['list'] },
      ],
    },
  ];

  test('run in order from the written version, and leave the rest of the text alone', () => {
    const text = '{\n  "gradloom": 1,\n  "wait": 2,  "other":1.50,\n  "list": [ 1,2 ]\n}\n';
    const { text: after, project, applied } = migrate(text, JSON.parse(text), steps, 3);
    expect(applied).toEqual(['wait in milliseconds', 'list called items']);
    expect(project).toEqual({ gradloom: 3, wait: 2000, other: 1.5, items: [1, 2] });
    expect(after).toBe('{\n  "gradloom": 3,\n  "wait": 2000,  "other":1.50,\n  "items": [1, 2]\n}\n');
  });

  test('those behind are not run again', () => {
    const text = '{"gradloom": 2, "wait": 5, "list": []}';
    const { project, applied } = migrate(text, JSON.parse(text), steps, 3);
    expect(applied).toEqual(['list called items']);
    expect(project).toEqual({ gradloom: 3, wait: 5, items: [] });
  });

  test('a current text is handed on as it is', () => {
    const text = '{ "gradloom":3 }';
    expect(migrate(text, JSON.parse(text), steps, 3)).toEqual({ text, project: { gradloom: 3 }, applied: [] });
  });
});
