/** Samples that cannot be read, as the error that stops an import. */
import { GradloomError } from '../contract/errors.ts';
import type { BadSample } from './open-source.ts';

/** So many lines stand below it. */
const listed = 200;

export function badSamples(bad: readonly BadSample[]): GradloomError {
  const count = bad.length;
  const line = ({ name, reason }: BadSample) => `  ${name}: ${reason}`;
  const lines = bad.slice(0, listed).map(line);
  const more = count > listed ? [`  and ${count - listed} more`] : [];
  const [first] = bad;
  return new GradloomError(
    'DATA_FORMAT',
    `${count === 1 ? '1 sample cannot' : `${count} samples cannot`} be read:\n${[...lines, ...more].join('\n')}`,
    {
      hint: 'Mend or remove them, or set data.source.on_bad to "skip" to leave them out.',
      ...(first ? { path: first.name } : {}),
    },
  );
}
