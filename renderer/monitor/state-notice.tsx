/** What a run's state means and what can be done, where it is not simply running or done. */
import { Link } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { RunState } from '../../engine/contract/events.ts';
import { ResumeButton } from '../run-parts/run-actions.tsx';
import { useRuns } from '../state/runs.ts';
import { Button, ErrorNotice, inSentences, Notice } from '../ui/index.ts';

export function StateNotice({ run, status, error }: { run: RunRow; status: RunState; error: ErrorInfo | null }) {
  const busy = useRuns((state) => state.pending[run.name] === 'resume');
  const resume = <ResumeButton run={run} busy={busy} />;
  if (status === 'failed') {
    const shown: ErrorInfo = error ?? { code: 'INTERNAL', message: 'The run failed without telling why' };
    return (
      <ErrorNotice
        error={shown}
        actions={
          <>
            {/* With the same settings it would become non-finite again: what helps is advised below. */}
            {shown.code !== 'NON_FINITE' && resume}
            <Link href={`/runs/${encodeURIComponent(run.name)}`} asChild>
              <Button>Show settings</Button>
            </Link>
          </>
        }
      />
    );
  }
  if (status === 'interrupted') {
    const reason = run.summary?.reason;
    return (
      <Notice tone="warn" title="This run was interrupted" actions={resume}>
        {error ? inSentences(error) : `It did not end by itself${reason === undefined ? '' : `: ${reason}`}.`}{' '}
        Everything up to the last checkpoint is saved; a resumed run goes on from there as if nothing had happened.
      </Notice>
    );
  }
  if (status === 'parked') {
    return (
      <Notice title="This run is parked" actions={resume}>
        Its state is saved and the device is free. It goes on exactly where it stopped.
      </Notice>
    );
  }
  return null;
}
