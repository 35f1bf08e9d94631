/** `data doctor`: what is wrong with a project's data, or with those at a path. */
import path from 'node:path';
import type { Command } from 'commander';
import type { DoctorReport, Finding } from '../contract/data/doctor.ts';
import { askHere } from '../data/asks.ts';
import { givenPlace } from '../data/given.ts';
import { integer, plural, table } from '../format.ts';
import { abortable, type Context } from './context.ts';
import { teller } from './data-import.ts';
import type { Output } from './output.ts';

/** Of each finding so many offenders are shown; with `--json`, all that the report names. */
const mostShown = 5;

export function addDataDoctor(data: Command, context: Context): void {
  data
    .command('doctor')
    .argument('<path>', 'project file, or folder or file of data')
    .summary('find what is wrong with data before they are trained on')
    .description(
      'Imports the data if need be, looks at every sample, and lists what is wrong with its offenders: unreadable files, duplicates, leaks, labels, balance, odd values. Changes nothing. Exit code 1 where an error is among the findings, that is, where a run would fail or could not learn what it is asked to.',
    )
    .action(async (given: string) => {
      const { out } = context;
      await abortable(context, async (signal) => {
        const { source, baseDir, project } = await givenPlace(path.resolve(given));
        const text = JSON.stringify(project ?? { gradloom: 1, data: { source } });
        const report = await askHere('doctor', { text, baseDir }, { signal, onProgress: teller(out) });
        out.object({ type: 'doctor', ...report });
        show(out, report);
        if (report.findings.some(({ severity }) => severity === 'error')) context.exitCode = 1;
      });
    });
}

function show(out: Output, { findings, splits, checked }: DoctorReport): void {
  for (const finding of findings) {
    out.say(heading(out, finding));
    const shown = finding.offenders.slice(0, mostShown);
    for (const { name, part, detail } of shown) {
      out.say(`    ${part === undefined ? '' : `${part}/`}${name}${detail === undefined ? '' : `: ${detail}`}`);
    }
    const more = finding.count - shown.length;
    if (shown.length > 0 && more > 0) out.say(`    and ${integer(more)} more`);
    for (const next of [finding.hint, ...finding.fixes.map(({ label }) => label)]) out.say(`  Next:  ${next}`);
    out.say();
  }
  const counts = splits.map(({ name, count }) => [name, integer(count)]);
  out.say(table([['split', 'samples'], ...counts], [1]));
  out.say();
  out.say(findings.length === 0 ? 'Nothing is wrong.' : `${plural(findings.length, 'finding')}.`);
  out.say(`Looked at: ${checked.map(uncapital).join('; ')}.`);
}

/** NaN stays NaN. */
const uncapital = (text: string) => text.replace(/^[A-Z](?=[a-z]+\b)/, (first) => first.toLowerCase());

function heading(out: Output, { severity, message }: Finding): string {
  const colour = { error: 'red', warning: 'yellow', note: 'dim' } as const;
  const word = { error: 'Problem:', warning: 'Warning:', note: 'Note:' };
  return `${out.style(colour[severity], word[severity])} ${message}`;
}
