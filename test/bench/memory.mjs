// @ts-check
/**
 * The bench of the memory estimate: over all templates and 50 random networks, the estimate against the measured peak of tensors on the CPU.
 * `npm run bench:memory [-- --json] [-- --random] [-- --seed N] [-- --count N]`
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../suites.mjs';
import { buildParts } from './build-parts.mjs';

/** @param {string} name @param {number} otherwise */
function numberOf(name, otherwise) {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}

const json = process.argv.includes('--json');
const seed = numberOf('--seed', 1);
const count = numberOf('--count', 50);
const bounds = { 'feed-forward': 0.1, sequence: 0.2 };

const { compare, randomNetwork, templateOf } = await buildParts('memory-parts');
const templates = path.join(root, 'assets', 'templates');

/** @type {{ name: string, family: keyof typeof bounds, text: string }[]} */
const cases = [];
const wanted = process.argv.includes('--random') ? [] : readdirSync(templates);
for (const file of wanted.filter((name) => name.endsWith('.gradloom.json'))) {
  cases.push(templateOf(file.replace('.gradloom.json', ''), readFileSync(path.join(templates, file), 'utf8')));
}
for (let at = 0; at < count; at++) {
  const { name, family, project } = randomNetwork(seed + at);
  cases.push({ name, family, text: JSON.stringify(project) });
}

const results = [];
for (const { name, family, text } of cases) {
  const { estimate, measured, phases } = await compare(text, templates);
  const error = estimate.total / measured - 1;
  results.push({ name, family, error, measured, estimate, phases });
  if (!json) {
    const figures = [estimate.total, measured].map((bytes) => (bytes / 2 ** 20).toFixed(2).padStart(9));
    const mark = Math.abs(error) > bounds[family] ? ' <<' : '';
    const { phase, path: at } = estimate.peak;
    const shown = `${(100 * error).toFixed(1).padStart(6)} %`;
    process.stdout.write(`${name.padEnd(24)} ${figures.join(' ')} MiB ${shown} ${phase} ${at ?? ''}${mark}\n`);
  }
}

const outside = results.filter(({ error, family }) => Math.abs(error) > bounds[family]);
if (json) process.stdout.write(`${JSON.stringify(results)}\n`);
else {
  for (const family of /** @type {const} */ (['feed-forward', 'sequence'])) {
    const errors = results.filter((one) => one.family === family).map(({ error }) => Math.abs(error));
    if (errors.length === 0) continue;
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const worst = Math.max(...errors);
    process.stdout.write(
      `${family}: ${errors.length} networks, mean error ${(100 * mean).toFixed(1)} %, worst ${(100 * worst).toFixed(1)} % (bound ${100 * bounds[family]} %)\n`,
    );
  }
}
process.exitCode = outside.length > 0 ? 1 : 0;
