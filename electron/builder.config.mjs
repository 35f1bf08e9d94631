// @ts-check
/**
 * How electron-builder packs the app: main, preloads and window in the archive; the engine, which plain Node modules and a native addon make
 * up, unpacked beside it. libtorch is no part of a package: the first start fetches it.
 *
 * @type {import('electron-builder').Configuration}
 */
const config = {
  appId: 'org.gradloom.Gradloom',
  productName: 'Gradloom',
  copyright: 'Copyright © the Gradloom authors',
  directories: { output: 'dist/packages', buildResources: 'assets/icons' },
  icon: 'assets/icons/icon.png',
  asar: true,
  files: [
    'package.json',
    'LICENSE',
    'THIRD_PARTY_NOTICES',
    'assets/**',
    'dist/{cli,main,provision,worker}.js',
    'dist/chunks/**',
    'dist/electron/*.cjs',
    'dist/renderer/**',
    'native/setup/**',
    '!**/*.map',
    '!**/{test,tests,__pycache__}/**',
  ],
  // The engine is run by Node's ordinary module loader, fetch.py by Python: both need files.
  asarUnpack: ['package.json', 'assets/**', 'dist/*.js', 'dist/chunks/**', 'native/setup/**', 'node_modules/**'],
  // Made by native/setup/package.mjs: the addon, with a way to its libraries that holds on every machine.
  extraResources: [{ from: 'dist/package/native', to: 'native' }],
  npmRebuild: false,
  nodeGypRebuild: false,
  publish: null,
  fileAssociations: [
    { ext: 'gradloom.json', name: 'Gradloom project', mimeType: 'application/x-gradloom+json', role: 'Editor' },
  ],
  linux: {
    target: ['AppImage', 'deb'],
    category: 'Science',
    executableName: 'gradloom',
    synopsis: 'Build, train and measure neural networks',
    maintainer: 'The Gradloom authors <maintainers@gradloom.invalid>',
  },
  deb: { depends: ['libgtk-3-0', 'libnss3', 'libasound2', 'libgbm1', 'libxss1', 'python3', 'python3-pip'] },
  win: { target: ['nsis'] },
  nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
  mac: {
    target: ['dmg'],
    category: 'public.app-category.developer-tools',
    hardenedRuntime: true,
    entitlements: 'electron/entitlements.mac.plist',
    entitlementsInherit: 'electron/entitlements.mac.plist',
  },
};

export default config;
