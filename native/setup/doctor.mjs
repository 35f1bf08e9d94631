// @ts-check
/** What this machine has of what Gradloom needs, where it lies, and what to do about what is missing. Changes nothing. */

/**
 * @typedef {object} Finding
 * @property {string} name what was looked for: `Node.js`, `C++ compiler`, `libtorch`…
 * @property {'ok' | 'warning' | 'missing'} status `warning`: works without it, but something is amiss
 * @property {string} found one line: a version, a state
 * @property {string} [path] where it lies
 * @property {string} [hint] what to do next
 */

/**
 * @typedef {object} Report
 * @property {boolean} ok nothing is missing
 * @property {Finding[]} findings in the order to read them
 */

/**
 * @returns {Promise<Report>}
 */
export async function inspect() {
  /** @type {Finding[]} */
  const findings = [{ name: 'Node.js', status: 'ok', found: process.version, path: process.execPath }];
  return { ok: findings.every((finding) => finding.status !== 'missing'), findings };
}

/**
 * The report as people read it.
 * @param {Report} report
 * @returns {string} lines, without a closing newline
 */
export function formatReport(report) {
  const width = Math.max(...report.findings.map((finding) => finding.name.length));
  const marks = { ok: 'ok     ', warning: 'warning', missing: 'MISSING' };
  return report.findings
    .map((finding) => {
      const head = `${marks[finding.status]}  ${finding.name.padEnd(width)}  ${finding.found}`;
      const place = finding.path === undefined ? '' : `  (${finding.path})`;
      const hint =
        finding.hint === undefined
          ? ''
          : `\n${' '.repeat(width + 11)}→ ${finding.hint.replaceAll('\n', `\n${' '.repeat(width + 13)}`)}`;
      return head + place + hint;
    })
    .join('\n');
}
