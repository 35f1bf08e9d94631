/** How this command line is called from where it was called: so that lines it prints can be pasted. */
import path from 'node:path';
import { rootDir } from '../native/setup/paths.mjs';

/** `npm run -s gradloom -- train 'my file.json'`, or as it was started else. Words in capitals stand for what a person fills in. */
export function commandLine(...words: string[]): string {
  return [startedAs(process.argv[1] ?? '', process.env, process.cwd()), ...words.map(quoted)].join(' ');
}

/** npm's own variables count where its script for the command line ran, not where a test or a tool did. */
export function startedAs(script: string, env: NodeJS.ProcessEnv, from: string): string {
  const { npm_lifecycle_event: event, INIT_CWD: called } = env;
  if (event === 'gradloom' || event === 'demo' || event === 'start') {
    const root = rootDir();
    const outside = path.relative(root, called ?? root).startsWith('..');
    return `npm ${outside ? `--prefix ${quoted(root)} ` : ''}run -s gradloom --`;
  }
  if (path.basename(script) !== 'cli.js') return 'gradloom';
  const near = path.relative(from, script);
  return `node ${quoted(near.startsWith(path.join('..', '..', '..')) ? script : near)}`;
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./\\~|-]+$/.test(word)) return word;
  return process.platform === 'win32' ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
