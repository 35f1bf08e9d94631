/** Programs that stand in for a machine's own: a compiler, CMake, npm and Python in every state of health. */

/** Compiles everything, at once. */
export const workingCompiler = '#!/bin/sh\n[ "$1" = --version ] && echo "g++ (pretended) 13.2.0"\nexit 0\n';

/** A compiler of before C++20. */
export const oldCompiler = `#!/bin/sh
[ "$1" = --version ] && { echo "g++ (pretended) 7.5.0"; exit 0; }
echo "g++: error: unrecognized command line option '-std=c++20'" >&2
exit 1
`;

/**
 * Notes its calls in \`$LOG\`, prints Ninja's progress lines and makes the two files; sources with the word ERROR do not build, those
 * with SLOW take their time.
 */
export const pretendedCmake = `#!${process.execPath}
const fs = require('node:fs');
const path = require('node:path');
const args = process.argv.slice(2);
const value = (flag) => args[args.indexOf(flag) + 1];
if (args[0] === '--version') {
  console.log('cmake version 3.25.1');
} else if (args[0] === '--build') {
  fs.appendFileSync(process.env.LOG, 'build\\n');
  const tree = args[1];
  const source = fs.readFileSync(path.join(fs.readFileSync(path.join(tree, 'source'), 'utf8'), 'src', 'main.cpp'), 'utf8');
  console.log('[1/2] Building CXX object main.cpp.o');
  if (source.includes('ERROR')) {
    console.log('FAILED: main.cpp.o\\nmain.cpp:1:1: error: ERROR does not name a type');
    process.exit(1);
  }
  setTimeout(() => {
    for (const name of ['gradloom.node', 'gradloom-run']) fs.writeFileSync(path.join(tree, name), source);
    console.log('[2/2] Linking CXX shared module gradloom.node');
  }, source.includes('SLOW') ? 1500 : 0);
} else {
  fs.appendFileSync(process.env.LOG, 'configure\\n');
  fs.writeFileSync(path.join(value('-B'), 'source'), value('-S'));
}
`;

export const workingNinja = '#!/bin/sh\necho 1.11.1\n';

/** Python without pip. */
export const pythonWithoutPip = `#!/bin/sh
case "$*" in
  --version) echo "Python 3.11.2" ;;
  *"-m pip"*) echo "/usr/bin/python3: No module named pip" >&2; exit 1 ;;
  *) echo "" ;;
esac
`;

export const npmOffline = `#!/bin/sh
echo "npm error code ENOTFOUND" >&2
echo "npm error network request to the registry failed" >&2
exit 1
`;

/** Installs nothing but npm's own list, once it has noted its call. */
export const pretendedNpm = `#!${process.execPath}
const fs = require('node:fs');
fs.appendFileSync(process.env.LOG, 'npm ' + process.argv.slice(2).join(' ') + '\\n');
fs.mkdirSync('node_modules', { recursive: true });
`;
