/** Reads `training.schedule` and `training.early_stopping`, with every default filled in and every fault reported. */
import { betterOf, examineMonitor } from './monitor.ts';
import type { Json } from './native.ts';
import type { Chosen, ResolvedEarlyStopping, ResolvedSchedule } from './project-types.ts';
import { isObject, type JsonObject, type Place, type Report, removeEdit, setEdit, show } from './report.ts';
import { hasMomentum } from './schedule-plan.ts';
import { derivedArguments, type ScheduleKind, schedules, scheduleUnits, warmupFields } from './schedules.ts';
import { earlyStoppingFields } from './settings.ts';
import { findRow } from './table.ts';

const place: Place = ['training', 'schedule'];

/** The values of an epoch that may decide, and the one that does by default. */
export interface Monitors {
  choices: readonly string[];
  standard: string;
}

export function examineSchedule(
  value: unknown,
  optimizer: Chosen,
  epochs: number,
  monitors: Monitors,
  report: Report,
): ResolvedSchedule | null {
  if (value === undefined || value === null) return null;
  const found = findRow(value, schedules, place, 'schedule', report);
  if (!found) return null;
  const { row, given } = found;
  warnOfDerived(row, given, report);
  const unit = examineUnit(row, given.unit, report);
  const suggested = suggestMissing(row, given, unit === 'epoch' ? epochs : stepsOfAnExample, report);
  const { ok, values } = report.fields({ ...suggested, ...given }, row.params, place);
  const warmup = examineWarmup(given.warmup, report);
  if (!ok) return null;
  row.check?.(values, place, report);
  if (row.adaptive) {
    const at = [...place, 'monitor'];
    const what = ['the reduction of the learning rate', 'decided'] as const;
    const monitor = values.monitor as string | null;
    values.monitor = examineMonitor(monitor, monitors.choices, monitors.standard, at, what, report);
    values.mode = examineMode(values.mode as string, values.monitor as string, [...place, 'mode'], report);
  }
  if (values.cycle_momentum === true && !hasMomentum(optimizer)) {
    report.warn(
      'BAD_VALUE',
      [...place, 'cycle_momentum'],
      `${optimizer.kind} has no momentum that ${row.kind} could cycle: only the learning rate moves`,
      'Say so, or choose an optimizer with momentum or betas.',
      [{ label: 'Cycle the learning rate only', edits: [setEdit([...place, 'cycle_momentum'], false)] }],
    );
  }
  return { kind: row.kind, args: values as Record<string, Json>, unit, warmup };
}

export function examineEarlyStopping(value: unknown, monitors: Monitors, report: Report): ResolvedEarlyStopping | null {
  if (value === undefined || value === null) return null;
  const at: Place = ['training', 'early_stopping'];
  const given = report.object(value, at, 'early_stopping');
  report.unknownKeys(given, Object.keys(earlyStoppingFields), at);
  const { values } = report.fields(given, earlyStoppingFields, at);
  const what = ['the early stop', 'decided'] as const;
  const monitor = examineMonitor(values.monitor, monitors.choices, monitors.standard, [...at, 'monitor'], what, report);
  const mode = examineMode(values.mode, monitor, [...at, 'mode'], report);
  return { monitor, mode, patience: values.patience, min_delta: values.min_delta };
}

/** `auto` follows from the value; the opposite of that would wait for it to get worse. */
function examineMode(mode: string, monitor: string, at: Place, report: Report): 'min' | 'max' {
  const right = betterOf(monitor) === 'higher' ? 'max' : 'min';
  if (mode !== 'auto' && mode !== right) {
    report.warn(
      'BAD_VALUE',
      at,
      `mode ${mode} waits for ${monitor} to get worse: ${right === 'max' ? 'more' : 'less'} of it is better`,
      `Set it to ${right}, or leave it out.`,
      [{ label: `Set mode to ${right}`, edits: [setEdit(at, right)] }],
    );
  }
  return mode === 'auto' ? right : (mode as 'min' | 'max');
}

function examineUnit(row: ScheduleKind, value: unknown, report: Report): ResolvedSchedule['unit'] {
  if (value === undefined) return row.unit;
  const at = [...place, 'unit'];
  const fixes = [{ label: `Use the default, "${row.unit}"`, edits: [removeEdit(at)] }];
  const unit = scheduleUnits.find((one) => one === value);
  if (!unit) {
    const message = `Expected one of "epoch", "step" for unit but received ${show(value)}`;
    report.error('BAD_VALUE', at, message, 'What the clock of the schedule counts.', fixes);
    return row.unit;
  }
  if (row.adaptive && unit === 'step') {
    const message = `${row.kind} decides by values of whole epochs, so its unit cannot be "step"`;
    report.error('BAD_VALUE', at, message, 'Leave the unit out.', fixes);
    return row.unit;
  }
  return unit;
}

function examineWarmup(value: unknown, report: Report): ResolvedSchedule['warmup'] {
  if (value === undefined || value === null) return null;
  const at = [...place, 'warmup'];
  const given = report.object(value, at, 'warmup');
  if (!isObject(value)) return null;
  report.unknownKeys(given, Object.keys(warmupFields), at);
  const { ok, values } = report.fields(given, warmupFields, at);
  return ok ? values : null;
}

/** PyTorch's totals follow from the run here, and its `last_epoch` from the checkpoint. */
function warnOfDerived(row: ScheduleKind, given: JsonObject, report: Report): void {
  const known = ['kind', 'unit', 'warmup', ...Object.keys(row.params)];
  const derived = derivedArguments.filter((key) => !known.includes(key));
  report.unknownKeys(given, [...known, ...derived], place);
  for (const key of derived) {
    if (!Object.hasOwn(given, key)) continue;
    const at = [...place, key];
    const from = key === 'last_epoch' || key === 'verbose' ? 'where the run stands' : "the run's own steps";
    report.warn('UNKNOWN_KEY', at, `${key} is not read: it follows from ${from}`, 'Remove it.', [
      { label: `Remove ${key}`, edits: [removeEdit(at)] },
    ]);
  }
}

/** How long a run may be is not known here in steps. */
const stepsOfAnExample = 1000;

/** A parameter that PyTorch has no default for comes with a fitting one as a fix; it is also what is drawn until then. */
function suggestMissing(row: ScheduleKind, given: JsonObject, length: number, report: Report): JsonObject {
  const suggested = row.suggest(length);
  for (const [key, value] of Object.entries(suggested)) {
    if (given[key] !== undefined) continue;
    const at = [...place, key];
    report.error('MISSING_VALUE', at, `${row.kind} needs ${key}`, `Give ${key} a value.`, [
      { label: `Set ${key} to ${show(value)}`, edits: [setEdit(at, value)] },
    ]);
  }
  return suggested;
}
