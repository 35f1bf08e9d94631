/** Who may import whom: the table of the design, checked on every file. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { files, type Import, importsOf, includesOf, isNative, isTypeScript, read, root } from './sources.ts';

interface Rule {
  /** Folder or file this is about; the longest that fits counts. */
  from: string;
  /** Folders and files of the repository it may reach. */
  own: string[];
  /** Packages; `node:` for all of Node's. */
  packages: string[];
}

const dependencies = Object.keys(JSON.parse(read('package.json')).dependencies);

/** What every part of the window that draws may use. */
const drawing = ['react', 'wouter', '@tabler/icons-react'];

/** The window's pages, a folder each; none sees another. */
const pages = ['home', 'data', 'build', 'train', 'monitor', 'runs', 'devices', 'settings'];

/** Also React: a hook that follows something as long as a component lives belongs to the state. */
const windowRules: Rule[] = [
  {
    from: 'renderer/client/',
    own: ['renderer/client/', 'engine/contract/'],
    packages: ['@orpc/client', '@orpc/contract'],
  },
  {
    from: 'renderer/state/',
    own: ['renderer/state/', 'renderer/client/', 'engine/contract/'],
    packages: ['zustand', 'zundo', 'react'],
  },
  {
    from: 'renderer/ui/',
    own: ['renderer/ui/', 'engine/contract/'],
    packages: [
      ...drawing,
      'react-dom',
      '@mantine/core',
      '@mantine/hooks',
      '@dnd-kit/core',
      '@dnd-kit/sortable',
      '@dnd-kit/utilities',
      'zod',
      '@lezer/highlight',
      '@lezer/python',
      '@fontsource-variable/inter',
      '@fontsource-variable/jetbrains-mono',
    ],
  },
  // What several pages show of a run.
  {
    from: 'renderer/run-parts/',
    own: ['renderer/run-parts/', 'renderer/ui/', 'renderer/state/', 'engine/contract/'],
    packages: drawing,
  },
  // What several pages show of the open project.
  {
    from: 'renderer/project-parts/',
    own: ['renderer/project-parts/', 'renderer/ui/', 'renderer/state/', 'engine/contract/'],
    packages: drawing,
  },
  ...pages.map((name) => ({
    from: `renderer/${name}/`,
    own: [
      `renderer/${name}/`,
      'renderer/project-parts/',
      'renderer/run-parts/',
      'renderer/ui/',
      'renderer/state/',
      'engine/contract/',
    ],
    packages: drawing,
  })),
  { from: 'renderer/frame/', own: ['renderer/', 'engine/contract/'], packages: [...drawing, 'zustand'] },
  { from: 'renderer/app.tsx', own: ['renderer/'], packages: drawing },
  { from: 'renderer/start.ts', own: ['renderer/main.tsx'], packages: [] },
  { from: 'renderer/main.tsx', own: ['renderer/'], packages: ['react', 'react-dom'] },
  { from: 'renderer/vite.config.ts', own: [], packages: ['node:', 'vite', '@vitejs/plugin-react'] },
];

const rules: Rule[] = [
  // jsonc-parser and fastest-levenshtein are pure as well: neither Node nor the DOM.
  {
    from: 'engine/contract/',
    own: ['engine/contract/'],
    packages: ['zod', '@orpc/contract', 'jsonc-parser', 'fastest-levenshtein'],
  },
  { from: 'engine/', own: ['engine/', 'native/setup/'], packages: ['node:', ...dependencies] },
  { from: 'engine/vite.config.ts', own: [], packages: ['node:', 'vite'] },
  // The shell's interface is what the preload gives the window; engine files are forked by path only.
  {
    from: 'electron/',
    own: ['electron/', 'engine/contract/', 'renderer/client/shell.ts'],
    packages: ['node:', 'electron'],
  },
  { from: 'electron/vite.config.ts', own: [], packages: ['node:', 'vite'] },
  { from: 'native/setup/', own: ['native/setup/'], packages: ['node:'] },
  // Of the window only the type of what the preload gives it; of the engine the contract: what is forked is named by its path.
  {
    from: 'electron/',
    own: ['electron/', 'engine/contract/', 'renderer/client/shell.ts'],
    packages: ['node:', 'electron'],
  },
  { from: 'electron/vite.config.ts', own: [], packages: ['node:', 'vite'] },
  ...windowRules,
];

function ruleFor(file: string): Rule | undefined {
  return rules
    .filter((rule) => file.startsWith(rule.from))
    .sort((a, b) => b.from.length - a.from.length)
    .at(0);
}

function allowed(rule: Rule, { specifier, target }: Import): boolean {
  if (target !== null) return rule.own.some((place) => target.startsWith(place));
  return rule.packages.some((name) =>
    name.endsWith(':') ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`),
  );
}

const scripts = files.filter(isTypeScript);
const shipped = scripts.filter((file) => !file.startsWith('test/'));

describe('TypeScript', () => {
  test('every folder outside test/ has a rule', () => {
    expect(shipped.filter((file) => ruleFor(file) === undefined)).toEqual([]);
  });

  test('every import is allowed by the table', () => {
    const broken = shipped.flatMap((file) => {
      const rule = ruleFor(file);
      return rule === undefined
        ? []
        : importsOf(file)
            .filter((import_) => !allowed(rule, import_))
            .map((import_) => `${file} imports ${import_.specifier}`);
    });
    expect(broken).toEqual([]);
  });

  test('every relative import names a file that is there, with its extension', () => {
    const known = new Set(files);
    const broken = scripts.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target !== null && !target.startsWith('dist/') && !known.has(target))
        .map(({ specifier }) => `${file} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  test('every folder of the window has a rule of its own: a new page is a new line of the table', () => {
    const folders = new Set(shipped.flatMap((file) => /^renderer\/[^/]+\//.exec(file) ?? []));
    expect([...folders].filter((folder) => !rules.some(({ from }) => from === folder))).toEqual([]);
    expect(folders.size).toBeGreaterThan(5);
  });

  test("the window is not the engine: of engine's files it takes the contract's, and Electron only types of the window", () => {
    const imports = (folder: string) =>
      shipped
        .filter((file) => file.startsWith(folder))
        .flatMap((file) => importsOf(file).map((found) => ({ file, ...found })));
    const broken = [
      ...imports('renderer/').filter(({ specifier }) => specifier.startsWith('node:') || specifier === 'electron'),
      ...imports('electron/').filter(({ target, typeOnly }) => target?.startsWith('renderer/') && !typeOnly),
    ].filter(({ file }) => file !== 'renderer/vite.config.ts');
    expect(broken.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  test('only engine/native loads the addon', () => {
    const loaders = shipped.filter((file) => file.startsWith('engine/') && /\bdlopen\s*\(/.test(read(file)));
    expect(loaders.filter((file) => !file.startsWith('engine/native/'))).toEqual([]);
  });

  test('decoders and the database of tables are loaded where data are read, by whoever asks for it there', () => {
    const folders: Record<string, string> = { sharp: 'engine/data/images/', '@duckdb/node-api': 'engine/data/table/' };
    const broken = shipped.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => !file.startsWith(folders[specifier] ?? ''))
        .map(({ specifier }) => `${file} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  test('the service loads neither of them by being started', () => {
    const loaded = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string) => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const { specifier, target, typeOnly, dynamic } of importsOf(file)) {
        if (typeOnly || dynamic) continue;
        if (target === null) packages.add(specifier);
        else visit(target);
      }
    };
    visit('engine/main.ts');
    visit('engine/serve.ts');
    expect([...packages].filter((name) => ['sharp', '@duckdb/node-api', 'fast-bmp'].includes(name))).toEqual([]);
    expect(loaded).toContain('engine/data/keeper.ts');
    expect(
      [...loaded].filter((file) => file.startsWith('engine/data/') && /\/(images|table)\/(source|decode)/.test(file)),
    ).toEqual([]);
  });

  test('nothing but the command line reaches into the command line', () => {
    const broken = shipped
      .filter((file) => file !== 'engine/cli.ts' && !file.startsWith('engine/cli/'))
      .flatMap((file) =>
        importsOf(file)
          .filter(({ target }) => target === 'engine/cli.ts' || target?.startsWith('engine/cli/'))
          .map(({ specifier }) => `${file} imports ${specifier}`),
      );
    expect(broken).toEqual([]);
  });

  test('no file depends on itself by a circle of imports that remain when the code runs', () => {
    const graph = new Map(
      shipped.map((file) => [
        file,
        importsOf(file).flatMap((found) => (found.typeOnly || !found.target ? [] : found.target)),
      ]),
    );
    const circles: string[] = [];
    const state = new Map<string, 'open' | 'done'>();
    const visit = (file: string, trail: string[]) => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
      state.set(file, 'done');
    };
    for (const file of graph.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});

describe('C++', () => {
  const native = files.filter((file) => file.startsWith('native/src/') && isNative(file));
  const isTorch = (name: string) => /^(ATen|c10|torch|caffe2)\//.test(name);
  const isNode = (name: string) => /^(napi|node_api|node|uv|v8)[^/]*\.h$/.test(name);

  /** The file of ours that an include names, if it is one. */
  function own(from: string, name: string): string | undefined {
    return [path.posix.join(path.posix.dirname(from), name), path.posix.join('native/src', name)].find((file) =>
      native.includes(file),
    );
  }

  test('core includes libtorch, JSON, the standard library and itself, never Node', () => {
    const broken = native
      .filter((file) => file.startsWith('native/src/core/'))
      .flatMap((file) =>
        includesOf(file)
          .filter((name) => isNode(name) || own(file, name)?.startsWith('native/src/binding/'))
          .map((name) => `${file} includes ${name}`),
      );
    expect(broken).toEqual([]);
  });

  test('binding sees no header of torch, not even through core', () => {
    const broken: string[] = [];
    const seen = new Set<string>();
    const visit = (file: string, trail: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const name of includesOf(file)) {
        if (isTorch(name)) broken.push(`${trail} → ${name}`);
        const next = own(file, name);
        if (next !== undefined) visit(next, `${trail} → ${next}`);
      }
    };
    for (const file of native) if (file.startsWith('native/src/binding/')) visit(file, file);
    expect(broken).toEqual([]);
  });

  test('nobody includes all of torch: it costs a minute a file', () => {
    expect(
      native.filter((file) =>
        includesOf(file).some((name) => ['torch/torch.h', 'torch/all.h', 'torch/nn.h'].includes(name)),
      ),
    ).toEqual([]);
  });
});

test('the table is not empty by mistake', () => {
  expect(shipped.length).toBeGreaterThan(20);
  expect(shipped.flatMap(importsOf).length).toBeGreaterThan(50);
  expect(root).not.toBe('');
});
