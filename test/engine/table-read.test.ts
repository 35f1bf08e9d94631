/** How files become tables: marks, delimiters, encodings, quotes, headers, rows of other lengths, by files made here. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CsvRows, csvCell } from '../../engine/data/table/csv-rows.ts';
import { testFolder } from './idx-writer.ts';
import { fileOf, readTable } from './table-helpers.ts';

beforeEach(() => {
  vi.stubEnv('GRADLOOM_CACHE', testFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const read = (content: string | Buffer, settings = {}, name = 'table.csv') =>
  readTable(fileOf(content, name), settings);

describe('case 2: marks and delimiters', () => {
  test('a byte-order mark is no part of the first name', async () => {
    for (const content of ['\uFEFFage,b\n1,2\n', '\uFEFF"age",b\n1,2\n', gzipSync('\uFEFFage,b\n1,2\n')]) {
      expect((await read(content)).names).toEqual(['age', 'b']);
    }
  });

  test.each([
    [',', 'a,b\n1,2\n3,4\n'],
    [';', 'a;b\n1;2\n3;4\n'],
    ['\t', 'a\tb\n1\t2\n3\t4\n'],
    ['|', 'a|b\n1|2\n3|4\n'],
    [' ', 'a b\n1  2\n3   4\n'],
  ])('%j is found and told', async (delimiter, content) => {
    const { guesses, rows, names } = await read(content);
    expect(guesses.delimiter?.value).toBe(delimiter);
    expect(guesses.delimiter?.reason).toContain('1 time in each of the first 3 rows');
    expect([names, ...rows]).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  test('one inside of quotes, or a decimal comma, is none', async () => {
    const quoted = await read('name;x\n"a,b,c;d";1\n"e,f,g;h";2\n');
    expect(quoted.rows).toEqual([
      ['a,b,c;d', '1'],
      ['e,f,g;h', '2'],
    ]);
    const decimal = await read('1,5;2,5;x\n3,5;4,5;y\n');
    expect(decimal.guesses.delimiter?.value).toBe(';');
    expect(decimal.rows[0]).toEqual(['1,5', '2,5', 'x']);
    const sentences = await read('id;said\n1;Well, yes, it is\n2;No, not, never\n');
    expect(sentences.rows[1]).toEqual(['2', 'No, not, never']);
  });

  test('what is said counts, whatever the content', async () => {
    const { rows, guesses } = await read('a,b;c\n1,2;3\n', { delimiter: ',' });
    expect(rows).toEqual([['1', '2;3']]);
    expect(guesses.delimiter).toBeUndefined();
  });
});

describe('encodings', () => {
  const text = 'name,x\nMüller,1\nJosé,2\n';
  test.each<[string, Buffer, string]>([
    ['UTF-8', Buffer.from(text), 'utf-8'],
    ['Latin-1', Buffer.from(text, 'latin1'), 'windows-1252'],
    ['UTF-16 with its mark', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'utf-16le'],
    ['UTF-16 without', Buffer.from(text, 'utf16le'), 'utf-16le'],
    ['UTF-16 the other way round', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), 'utf-16be'],
  ])('%s', async (_, bytes, encoding) => {
    const found = await read(bytes);
    expect(found.guesses.encoding?.value).toBe(encoding);
    expect(found.rows).toEqual([
      ['Müller', '1'],
      ['José', '2'],
    ]);
  });

  test('one odd byte at the end of much ASCII decides', async () => {
    const long = Buffer.concat([
      Buffer.from(`name,x\n${'abc,1\n'.repeat(200_000)}`),
      Buffer.from('\xe9t\xe9,2\n', 'latin1'),
    ]);
    const found = await read(long);
    expect(found.guesses.encoding?.value).toBe('windows-1252');
    expect(found.rows.at(-1)).toEqual(['été', '2']);
  });

  test('what is said counts; what there is not is refused', async () => {
    const russian = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0x78, 0x0a, 0xe4, 0xe0, 0x2c, 0x31, 0x0a]);
    expect((await read(russian, { encoding: 'windows-1251' })).names[0]).toBe('Привет');
    await expect(read('a,b\n1,2\n', { encoding: 'klingon' })).rejects.toMatchObject({ code: 'DATA_FORMAT' });
  });

  test('characters cut in two by the pieces that a file is read in', async () => {
    const rows = Array.from({ length: 60_000 }, (_, i) => `${i},日本語äöü${i}`);
    const found = await read(`n,t\n${rows.join('\n')}\n`, {}, 'long.csv');
    expect(found.guesses.encoding?.value).toBe('utf-8');
    expect(found.rows.map((row) => row.join(','))).toEqual(rows);
  });
});

describe('rows', () => {
  test.each<[string, string, string[][]]>([
    [
      'CR LF, newlines in quotes',
      'a,b\r\n1,2\r\n"x\r\ny",3\r\n',
      [
        ['1', '2'],
        ['x\r\ny', '3'],
      ],
    ],
    [
      'CR alone',
      'a,b\r1,2\r3,4\r',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'ends of lines mixed',
      'a,b\r\n1,2\n3,4\r5,6',
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
    ['doubled quotes, quotes within', 'a,b\n"say ""hi""",5" pipe\n', [['say "hi"', '5" pipe']]],
    [
      'quotes behind a blank',
      'a, b\n1, "x, y"\n2, "z"\n',
      [
        ['1', 'x, y'],
        ['2', 'z'],
      ],
    ],
    ['no newline at the end', 'a,b\n1,2', [['1', '2']]],
    [
      'blank lines',
      'a,b\n\n1,2\n\n\n3,4\n\n',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'rows of delimiters',
      'a;b\n1;2\n;\n3;4\n;\n',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'comments above and between',
      '# by a program\n\na,b\n1,#fff\n# more\n3,4\n',
      [
        ['1', '#fff'],
        ['3', '4'],
      ],
    ],
    [
      'colours are no comments',
      'a,b\n#fff,1\n#000,2\n',
      [
        ['#fff', '1'],
        ['#000', '2'],
      ],
    ],
    ['blanks around values', 'a,b\n 1 ,\t2\n', [['1', '2']]],
    ['one column', 'v\n1\n\n2\n', [['1'], ['2']]],
    [
      'empty cells',
      'a,b,c\n1,,\n,2,\n',
      [
        ['1', '', ''],
        ['', '2', ''],
      ],
    ],
    [
      'quoted empty cells',
      'a,b\n"","x"\n"",""\n"y",""\n',
      [
        ['', 'x'],
        ['y', ''],
      ],
    ],
  ])('%s', async (_, content, rows) => {
    expect((await read(content)).rows).toEqual(rows);
  });

  test('of other lengths are named by line, the others keep their numbers', async () => {
    const found = await read('a,b\n1,2\n3,4,5\n"6\n7",8\n9\n10,11\n');
    expect(found.ragged).toEqual([
      { line: 3, reason: '3 cells, where the table has 2 columns' },
      { line: 6, reason: '1 cell, where the table has 2 columns' },
    ]);
    expect(found.rows).toEqual([
      ['1', '2'],
      ['6\n7', '8'],
      ['10', '11'],
    ]);
  });

  test('a quote that is never closed is named by the line where it begins', async () => {
    const { ragged, rows } = await read('a,b\n1,2\n3,"4\n5,6\n');
    expect(ragged).toEqual([{ line: 3, reason: 'a quote that begins in this row is never closed' }]);
    expect(rows).toEqual([['1', '2']]);
  });

  test('any cells come back, by both ways of reading', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n', ';', 'é', '#', '1'), maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (cells, marked) => {
          const body = cells
            .map((row) => `x,${row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')}`)
            .join('\n');
          const { rows } = await read(`${marked ? '\uFEFF' : ''}first,second,third\n${body}\n`, {
            delimiter: ',',
            header: true,
          });
          expect(rows).toEqual(cells.map((row) => ['x', ...row.map((one) => one.trim())]));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('in pieces of any size they are the same', () => {
    const text = 'a, "b\r\n""c""",d\r\n\r\n1,2,3\r4,"5,6\n';
    const whole = [...new CsvRows(',').read(text, true)];
    for (let size = 1; size < text.length; size++) {
      const rows = new CsvRows(',');
      const found = [];
      for (let at = 0; at < text.length; at += size) found.push(...rows.read(text.slice(at, at + size), false));
      found.push(...rows.read('', true));
      expect(found).toEqual(whole);
    }
    expect(csvCell('a"b')).toBe('"a""b"');
  });
});

describe('headers', () => {
  test.each<[string, string, boolean, string[]]>([
    ['names above numbers', 'a,b\n1,2\n', true, ['a', 'b']],
    ['numbers from the first row on', '1,2,x\n3,4,y\n', false, ['column 1', 'column 2', 'column 3']],
    ['texts that stand further down', 'red,big\nblue,small\nred,small\n', false, ['column 1', 'column 2']],
    ['texts that stand nowhere else', 'colour,size\nblue,small\nred,small\n', true, ['colour', 'size']],
    ['repeated and empty names', 'a,a,,a\n1,2,3,4\n', true, ['a', 'a (2)', 'column 3', 'a (3)']],
    ['a delimiter at each row’s end', 'a,b\n1,2,\n3,4,\n', true, ['a', 'b', 'column 3']],
    ['one at the header’s end too', 'a,b,\n1,2,\n3,4,\n', true, ['a', 'b', 'column 3']],
    ['row names, as R writes them', '"a","b"\n"r1",1,2\n"r2",3,4\n', true, ['row name', 'a', 'b']],
    ['an index without a name, as pandas writes it', ',a\n0,5\n1,6\n', true, ['column 1', 'a']],
    ['a newline in a name', '"a\nb",c\n1,2\n', true, ['a\nb', 'c']],
  ])('%s', async (_, content, header, names) => {
    const found = await read(content);
    expect(found.guesses.header).toEqual({ value: header, reason: expect.stringMatching(/first row|rows?/) });
    expect(found.names).toEqual(names);
  });

  test('what is said counts', async () => {
    expect((await read('1,2\n3,4\n', { header: true })).names).toEqual(['1', '2']);
    expect((await read('a,b\n3,4\n', { header: false })).rows[0]).toEqual(['a', 'b']);
  });
});

describe('files', () => {
  test('names with quotes, brackets and stars', async () => {
    for (const name of ["o'clock.csv", 'a[1]*?.csv', 'year=2020.csv', 'a"b; drop table x.csv', 'ünï cödé.csv']) {
      expect((await read('a,b\n1,2\n', {}, name)).rows).toEqual([['1', '2']]);
    }
  });

  test('columns with quotes and SQL in their names', async () => {
    const { names, rows } = await read('"a""b","c\'); drop table t; --"\n1,2\n');
    expect(names).toEqual(['a"b', "c'); drop table t; --"]);
    expect(rows).toEqual([['1', '2']]);
  });

  test('thousands of columns', async () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `n${at}`);
    const found = await read(`${names.join(',')}\n${names.map((_, at) => at).join(',')}\n`);
    expect(found.names).toEqual(names);
    expect(found.rows[0]?.[2_999]).toBe('2999');
  });

  test('a long cell', async () => {
    const long = 'x'.repeat(5_000_000);
    expect((await read(`a,b\n1,${long}\n`)).rows[0]?.[1]).toHaveLength(5_000_000);
  });

  test.each<[string, string | Buffer, RegExp]>([
    ['nothing', '', /is empty/],
    ['blank lines', '\n\n  \n', /is empty/],
    ['no text', Buffer.from([1, 2, 0, 5, 0, 0, 9]), /not text/],
    ['half a JSON object', '{"a":', /cannot be read as json/],
    ['half a Parquet file', Buffer.from('PAR1abcdef'), /cannot be read as parquet/],
  ])('%s is refused', async (_, content, message) => {
    await expect(read(content)).rejects.toMatchObject({ code: 'DATA_FORMAT', message: expect.stringMatching(message) });
  });

  test('a file that is not there', async () => {
    await expect(readTable('/nowhere/x.csv')).rejects.toMatchObject({ code: 'DATA_MISSING' });
  });
});
