/** What fitting a network to data changes, in words; or why it cannot be fitted. */
import type { Fit } from '../../engine/contract/fit.ts';
import { count, dims, Notice } from '../ui/index.ts';
import classes from './project-parts.module.css';

export function FitChanges({ fit, instead }: { fit: Fit; instead?: string | undefined }) {
  const { refused, changes, edits, plan } = fit;
  if (refused) {
    return (
      <Notice tone="warn" title={`${refused.message}.`}>
        {instead ?? refused.hint}
      </Notice>
    );
  }
  return (
    <>
      {changes.length === 0 ? (
        <p className={classes.quiet}>
          Nothing {edits.length > 0 && 'else '}changes: the network goes with the data as it is.
        </p>
      ) : (
        <ul className={classes.changes} aria-label="What changes">
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
      <p className={classes.quiet}>
        The network {edits.length > 0 && 'then '}reads {dims(plan.input)}, answers {dims(plan.output)} and has{' '}
        {count(plan.parameters)} parameters.
      </p>
    </>
  );
}
