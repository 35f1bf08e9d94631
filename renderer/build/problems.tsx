/** Problems in place: what is wrong, and buttons that put it right. */
import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import type { Problem } from '../../engine/contract/problems.ts';
import { applyFix } from '../state/stack-store.ts';
import { FixButtons } from '../ui/index.ts';
import styles from './problems.module.css';

export function ProblemNotes({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={styles.problems}>
      {problems.map((problem) => {
        const Icon = problem.severity === 'error' ? IconAlertCircle : IconAlertTriangle;
        return (
          <li
            key={`${problem.path} ${problem.message}`}
            className={styles.problem}
            data-severity={problem.severity}
            data-problem-at={problem.path}
          >
            <Icon size={14} className={styles.problemIcon} aria-label={problem.severity} />
            <div className={styles.problemText}>
              <p>{problem.message}</p>
              {problem.fixes.length === 0 && <p className={styles.hint}>{problem.hint}</p>}
              <FixButtons fixes={problem.fixes} onFix={({ label, edits }) => applyFix(edits, label)} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
