/** Problems where they are mended: what is wrong, why, and buttons that put it right, each one step of undo. */
import { useLocation } from 'wouter';
import type { Problem } from '../../engine/contract/problems.ts';
import { pageOf } from '../state/problems.ts';
import { edit } from '../state/project.ts';
import { Button, Notice } from '../ui/index.ts';

const pageNames = { data: 'Data', build: 'Build', train: 'Train' } as const;

export function ProblemList({ problems, here }: { problems: readonly Problem[]; here: keyof typeof pageNames }) {
  const [, navigate] = useLocation();
  return problems.map((problem) => {
    const page = pageOf(problem);
    const away = page !== here;
    return (
      <Notice
        key={`${problem.path} ${problem.message}`}
        tone={problem.severity === 'error' ? 'bad' : 'warn'}
        title={problem.message}
        actions={
          problem.fixes.length > 0 || away ? (
            <>
              {problem.fixes.map((fix) => (
                <Button key={fix.label} size="xs" onClick={() => edit(fix.edits)}>
                  {fix.label}
                </Button>
              ))}
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
