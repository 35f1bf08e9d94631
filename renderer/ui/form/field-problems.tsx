/** What is wrong with a field, below it, with buttons that put it right. */
import type { Edit } from '../../../engine/contract/problems.ts';
import { FixButtons } from '../basics/fix-buttons.tsx';
import classes from './form.module.css';
import type { FormProblem } from './types.ts';

export interface FieldProblemsProps {
  id?: string;
  problems: readonly FormProblem[];
  onFix?: ((fix: { label: string; edits: Edit[] }) => void) | undefined;
}

export function FieldProblems({ id, problems, onFix }: FieldProblemsProps) {
  return (
    <div className={classes.problems} {...(id === undefined ? {} : { id })}>
      {problems.map((problem) => (
        <div
          key={problem.path + problem.message}
          className={classes.problem}
          data-severity={problem.severity}
          data-problem-at={problem.path}
        >
          <p>{problem.message}</p>
          {problem.fixes.length === 0 && problem.hint !== undefined && <p className={classes.hint}>{problem.hint}</p>}
          {onFix && <FixButtons fixes={problem.fixes} onFix={onFix} />}
        </div>
      ))}
    </div>
  );
}
