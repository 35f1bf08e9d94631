/** What every file must be like: says its purpose, stays short, keeps to types, names nothing of one person's machine. */
import { describe, expect, test } from 'vitest';
import { files, isNative, isTypeScript, nodes, read } from './sources.ts';

const longest = 450;

const code = files.filter(
  (file) => isTypeScript(file) || isNative(file) || /\.(py|cmake)$|CMakeLists\.txt$/.test(file),
);
const text = files.filter((file) => !/\.(gz|png|ico|icns|pt|safetensors|woff2?)$|^package-lock\.json$/.test(file));

describe('every file of code', () => {
  test('opens with a sentence that says what it holds', () => {
    const opening =
      /^(#!.*\n)?(\/\/ @ts-check\n|# -\*-.*\n)?\s*(#pragma once\s+)?(\/\*\*?\s*\S|\/\/\s*\S|#\s+\S|"""\S)/;
    expect(code.filter((file) => !opening.test(read(file)))).toEqual([]);
  });

  test(`has at most ${longest} lines`, () => {
    const long = code
      .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
      .filter(({ lines }) => lines > longest);
    expect(long).toEqual([]);
  });

  test('holds no note of work undone', () => {
    const words = /\b(TODO|FIXME|XXX|HACK)\b/;
    expect(code.filter((file) => file !== 'test/architecture/files.test.ts' && words.test(read(file)))).toEqual([]);
  });
});

describe('TypeScript', () => {
  test('uses no `any` outside the tests', () => {
    const broken = files
      .filter((file) => isTypeScript(file) && !file.startsWith('test/'))
      .filter((file) =>
        file.endsWith('.mjs')
          ? /\{[^}\n]*\bany\b[^}\n]*\}\s*(\*\/|\w)/.test(read(file))
          : [...nodes(file)].some((node) => node.type === 'TSAnyKeyword'),
      );
    expect(broken).toEqual([]);
  });

  test('silences neither compiler nor linter without a reason', () => {
    const silent = /@ts-ignore|@ts-nocheck|@ts-expect-error(?!.*\w{4})|biome-ignore [^:]*:\s*$/m;
    expect(
      files.filter(
        (file) => isTypeScript(file) && file !== 'test/architecture/files.test.ts' && silent.test(read(file)),
      ),
    ).toEqual([]);
  });

  test('leaves no test focused', () => {
    const focused = /\b(test|it|describe)\.only\(/;
    expect(files.filter((file) => file.endsWith('.test.ts') && focused.test(read(file)))).toEqual([]);
  });
});

test('no file names a place on one machine', () => {
  const places = new RegExp(['/(ro', 'ot|wo', 'rk|home/[a-z]+)/'].join(''));
  const named = text.filter((file) =>
    read(file)
      .split('\n')
      .some((line) => places.test(line) && !line.startsWith('#!')),
  );
  expect(named).toEqual([]);
});
