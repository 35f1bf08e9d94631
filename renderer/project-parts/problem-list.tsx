/** Problems where they are mended: what is wrong, why, and buttons that put it right, each one step of undo. */
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { Problem } from '../../engine/contract/problems.ts';
import { pageOf } from '../state/problems.ts';
import { edit } from '../state/project.ts';
import { Button, Notice } from '../ui/index.ts';

const pageNames = { data: 'Data', build: 'Build', train: 'Train' } as const;

export interface ProblemListProps {
  problems: readonly Problem[];
  /** The page that it is on: a problem of another page gets a button that leads there. */
  here: keyof typeof pageNames;
  /** A further way to what is wrong. */
  action?: (problem: Problem) => ReactNode;
}

export function ProblemList({ problems, here, action }: ProblemListProps) {
  const [, navigate] = useLocation();
  return problems.map((problem) => {
    const page = pageOf(problem);
    const away = page !== here;
    const more = action?.(problem) ?? null;
    return (
      <Notice
        key={`${problem.path} ${problem.message}`}
        tone={problem.severity === 'error' ? 'bad' : 'warn'}
        title={problem.message}
        actions={
          problem.fixes.length > 0 || away || more !== null ? (
            <>
              {problem.fixes.map((fix) => (
                <Button key={fix.label} size="xs" onClick={() => edit(fix.edits)}>
                  {fix.label}
                </Button>
              ))}
              {more}
              {away && (
                <Button size="xs" subtle onClick={() => navigate(`/${page}`)}>
                  {`Show in ${pageNames[page]}`}
                </Button>
              )}
            </>
          ) : undefined
        }
      >
        {problem.hint}
      </Notice>
    );
  });
}
