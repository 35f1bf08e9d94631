// @ts-check
/** One import for the bench of data: PROJECT.json PLAN.json FOLDER; prints what it took as a line of JSON. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../suites.mjs';

const [project = '', plan = '', folder = ''] = process.argv.slice(2);
const { importData } = await import(pathToFileURL(path.join(root, 'dist', 'bench', 'data-parts.js')).href);
const took = await importData(JSON.parse(readFileSync(project, 'utf8')), plan, folder);
process.stdout.write(`${JSON.stringify(took)}\n`);
process.exit(0); // whatever threads decoders keep
