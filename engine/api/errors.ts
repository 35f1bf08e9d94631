/** Errors as they cross the wire: every one an ORPCError whose `data` is an `ErrorInfo`. */
import { ORPCError } from '@orpc/server';
import { GradloomError } from '../contract/errors.ts';

/** Of the ORPCError; the error's own code is in its data. */
const wireCode = 'GRADLOOM';

/** `log` is told of what nobody has foreseen. */
export function toWire(thrown: unknown, log: (error: unknown) => void): ORPCError<string, unknown> {
  const error = foreseen(thrown);
  if (error.code === 'INTERNAL') log(thrown);
  return new ORPCError(wireCode, { status: 500, message: error.message, data: error.toInfo() });
}

function foreseen(thrown: unknown): GradloomError {
  if (!(thrown instanceof ORPCError)) return GradloomError.from(thrown);
  const { issues } = (thrown.data ?? {}) as { issues?: { path?: unknown[]; message: string }[] };
  if (thrown.code !== 'BAD_REQUEST' || !issues) return new GradloomError('INTERNAL', thrown.message, { cause: thrown });
  const [first] = issues;
  const place = (first?.path ?? []).join('.');
  return new GradloomError('BAD_CALL', `The call is malformed: ${place === '' ? '' : `${place}: `}${first?.message}`, {
    hint: 'Window and engine may be of different versions: reload the window.',
  });
}
