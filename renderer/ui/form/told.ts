/** Tells a field's row what is typed and cannot be read. */
import { useEffect } from 'react';

/** Leaving the form takes it back. */
export function useTold(problem: string | null, onProblem: (problem: string | null) => void): void {
  useEffect(() => {
    onProblem(problem);
    return () => onProblem(null);
  }, [problem, onProblem]);
}
