/** The value of an epoch by which something is decided: the best checkpoint, an early stop, a reduction of the learning rate. */
import { capital } from './format.ts';
import { type ChosenMetric, inTraining, metricOfKey } from './metrics.ts';
import { type Place, type Report, setEdit, show } from './report.ts';

/** Names of the values that each epoch of a project has, the one that decides by default first. */
export function monitorChoices(chosen: readonly ChosenMetric[], validates: boolean): string[] {
  const training = chosen.filter(inTraining).map(({ key }) => `train_${key}`);
  const validation = validates ? ['val_loss', ...chosen.map(({ key }) => `val_${key}`)] : [];
  return [...validation, 'train_loss', ...training];
}

/** Which direction of a value is better. */
export function betterOf(monitor: string): 'higher' | 'lower' {
  return metricOfKey(monitor.replace(/^(train|val)_/, ''))?.better ?? 'lower';
}

/** `what` is decided by it: `the best checkpoint`, `chosen`. null and what does not exist are read as `standard`. */
export function examineMonitor(
  given: string | null,
  choices: readonly string[],
  standard: string,
  place: Place,
  [what, decided]: readonly [string, string],
  report: Report,
): string {
  if (given === null) return standard;
  if (choices.includes(given)) return given;
  const inTraining = given.replace(/^val_/, 'train_');
  if (choices.includes(inTraining)) {
    // Only without validation: who leaves that out for a run shall not have to change this too.
    report.warn(
      'BAD_VALUE',
      place,
      `Without validation there is no ${given}: ${what} is ${decided} by ${inTraining}`,
      'Set data.split.val to validate.',
      [{ label: `Monitor ${inTraining}`, edits: [setEdit(place, inTraining)] }],
    );
    return inTraining;
  }
  report.error(
    'BAD_VALUE',
    place,
    `${capital(what)} cannot be ${decided} by ${show(given)}: this project's epochs have ${choices.join(', ')}`,
    'Choose one of these.',
    [{ label: `Monitor ${standard}`, edits: [setEdit(place, standard)] }],
  );
  return standard;
}
