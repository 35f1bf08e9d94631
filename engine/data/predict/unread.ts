/** Files that cannot be predicted, as an error. */
import { GradloomError } from '../../contract/errors.ts';
import { plural } from '../../contract/format.ts';

/** `bad`: each a file with its reason. */
export function cannotPredict(bad: readonly string[]): GradloomError {
  return new GradloomError(
    'DATA_FORMAT',
    `${plural(bad.length, 'file')} cannot be predicted:\n${bad.map((each) => `  ${each}`).join('\n')}`,
    { hint: 'Leave them out, or give others.' },
  );
}
