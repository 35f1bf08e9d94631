// @ts-check
/** The suites by name: which commands each runs, in order, and which of them report counts of tests. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Command
 * @property {string} name
 * @property {string[]} args Node's arguments
 * @property {string} [report] a Vitest JSON report it writes
 */

const bin = /** @param {string[]} name */ (...name) => path.join(root, 'node_modules', ...name);

/**
 * @param {string} project a project of vitest.config.ts
 * @param {string[]} [filters] parts of file names
 * @param {string} [reports] folder for the JSON report
 * @returns {Command}
 */
function vitest(project, filters = [], reports) {
  const report = reports === undefined ? undefined : path.join(reports, `${project}.json`);
  const reporters =
    report === undefined ? [] : ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const args = [
    bin('vitest', 'vitest.mjs'),
    'run',
    '--config',
    'test/vitest.config.ts',
    '--project',
    project,
    ...reporters,
    ...filters,
  ];
  return report === undefined ? { name: project, args } : { name: project, args, report };
}

/** @type {Command} */
const lint = {
  name: 'lint and format',
  args: [bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
};
/** @type {Command} */
const types = { name: 'types', args: ['test/typecheck.mjs'] };
/** @type {Command} */
const sanitize = { name: 'sanitize', args: ['test/native/sanitize.mjs'] };

/** @type {Record<string, (filters: string[], reports?: string) => Command[]>} */
export const suites = {
  fast: (filters, reports) => [lint, types, vitest('fast', filters, reports)],
  tiny: (filters, reports) => [
    vitest('fast', filters.length > 0 ? filters : ['test/contract', 'test/architecture'], reports),
  ],
  journeys: (filters, reports) => [vitest('journeys', filters, reports)],
  electron: (filters, reports) => [vitest('electron', filters, reports)],
  e2e: (filters, reports) => [vitest('e2e', filters, reports)],
  parity: (filters, reports) => [vitest('parity', filters, reports)],
  sanitize: () => [sanitize],
  long: (filters, reports) => [vitest('long', filters, reports)],
};

/**
 * @param {string} report
 * @returns {{ passed: number, failed: number }} a file that could not be run at all counts as one failure
 */
export function counts(report) {
  const json = JSON.parse(readFileSync(report, 'utf8'));
  const broken = json.testResults.filter(
    /** @param {any} file */ (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return { passed: json.numPassedTests, failed: json.numFailedTests + broken };
}
