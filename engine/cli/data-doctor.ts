/** `data doctor`: what is wrong with a project's data, or with those at a path. */
import path from 'node:path';
import type { Command } from 'commander';
import type { DataFix, DoctorReport, Finding } from '../contract/data/doctor.ts';
import { GradloomError } from '../contract/errors.ts';
import { editProject, type ResolvedSource } from '../contract/project.ts';
import { askHere } from '../data/asks.ts';
import { chosenSource } from '../data/chosen-source.ts';
import { givenPlace } from '../data/given.ts';
import { changeMarks, needMarksFile } from '../data/index.ts';
import { integer, plural, short, table } from '../format.ts';
import { ProjectFiles } from '../project-files.ts';
import { positiveInteger } from './arguments.ts';
import { abortable, type Context } from './context.ts';
import { teller } from './data-import.ts';
import type { Output } from './output.ts';

/** Of each finding so many offenders are shown; with `--json`, all that the report names. */
const mostShown = 5;

export function addDataDoctor(data: Command, context: Context): void {
  data
    .command('doctor')
    .argument('<path>', 'project file, or folder or file of data')
    .option('--fix <number>', 'make this change, by its number in the report; may be repeated', numbers)
    .summary('find what is wrong with data before they are trained on')
    .description(
      'Imports the data if need be, looks at every sample, and lists what is wrong with its offenders: unreadable files, duplicates, leaks, labels, balance, odd values. Changes nothing without --fix; a fix is an edit of the project or marks beside the data. Exit code 1 where an error is among the findings, that is, where a run would fail or could not learn what it is asked to.',
    )
    .action(async (given: string, { fix: chosen = [] }: { fix?: number[] }) => {
      const { out } = context;
      await abortable(context, async (signal) => {
        const { source, baseDir, project } = await givenPlace(path.resolve(given));
        const text = JSON.stringify(project ?? { gradloom: 1, data: { source } });
        const found = await askHere('doctor', { text, baseDir }, { signal, onProgress: teller(out) });
        // Edits need a project that they are of.
        const able = (fix: DataFix) => project !== null || !fix.edits;
        const findings = found.findings.map((each) => ({ ...each, fixes: each.fixes.filter(able) }));
        const report = { ...found, findings };
        out.object({ type: 'doctor', ...report });
        show(out, report);
        const fixes = report.findings.flatMap((finding) => finding.fixes);
        const place = {
          file: project ? path.resolve(given) : null,
          source: chosenSource({ data: { source } }),
          baseDir,
        };
        for (const fix of pick(fixes, chosen)) await apply(fix, place, out);
        if (report.findings.some(({ severity }) => severity === 'error')) context.exitCode = 1;
      });
    });
}

const numbers = (text: string, earlier: number[] = []): number[] => [...earlier, positiveInteger(text)];

/** @throws GradloomError BAD_CALL where there is none of a number */
function pick(fixes: readonly DataFix[], chosen: readonly number[]): DataFix[] {
  return chosen.map((number) => {
    const fix = fixes[number - 1];
    if (fix) return fix;
    throw new GradloomError('BAD_CALL', `There is no fix ${number}.`, {
      hint: fixes.length === 0 ? 'No finding has a fix.' : `They are numbered from 1 to ${fixes.length} in the report.`,
    });
  });
}

interface Place {
  /** The project's; null: the data were named without one, and no fix edits it. */
  file: string | null;
  source: ResolvedSource;
  baseDir: string;
}

async function apply({ label, edits, marks }: DataFix, { file, source, baseDir }: Place, out: Output): Promise<void> {
  if (marks) {
    const kept = await needMarksFile(source, baseDir);
    await changeMarks(kept, marks);
    out.object({ type: 'fixed', label, path: kept });
  }
  if (edits && file !== null) {
    const files = new ProjectFiles();
    const opened = await files.open(file);
    await files.save(file, opened.revision, editProject(opened.text, edits));
    out.object({ type: 'fixed', label, path: file });
  }
  out.say(`Done: ${label}`);
}

function show(out: Output, { findings, splits, checked, channels }: DoctorReport): void {
  let number = 0;
  for (const finding of findings) {
    out.say(heading(out, finding));
    const shown = finding.offenders.slice(0, mostShown);
    for (const { name, part, detail } of shown) {
      out.say(`    ${part === undefined ? '' : `${part}/`}${name}${detail === undefined ? '' : `: ${detail}`}`);
    }
    const more = finding.count - shown.length;
    if (shown.length > 0 && more > 0) out.say(`    and ${integer(more)} more`);
    out.say(`  Next:  ${finding.hint}`);
    for (const { label } of finding.fixes) out.say(`  Fix ${++number}: ${label}`);
    out.say();
  }
  const counts = splits.map(({ name, count }) => [name, integer(count)]);
  out.say(table([['split', 'samples'], ...counts], [1]));
  if (channels) {
    out.say();
    const rows = channels.map(({ mean, std, min, max }, at) => [
      String(at),
      ...[mean, std, min, max].map((value) => short(value, 4)),
    ]);
    out.say(table([['channel', 'mean', 'std', 'min', 'max'], ...rows], [1, 2, 3, 4]));
  }
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
