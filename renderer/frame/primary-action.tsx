/** The one primary button: always in the same place, and its label says what will happen. */
import { IconPlayerPauseFilled, IconPlayerPlayFilled, IconTool } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import { fileName } from '../state/files.ts';
import { useMemoryOutlook } from '../state/memory-outlook.ts';
import { firstError, pageOf, useProblems } from '../state/problems.ts';
import { usePlan, useProject, useProjectState } from '../state/project.ts';
import { act, startRun, useLiveRunsBy, useRuns } from '../state/runs.ts';
import { tell } from '../state/session.ts';
import { useWeightsReport } from '../state/weights.ts';
import { Button } from '../ui/index.ts';
import { useShownRun } from './live-run.ts';
import { useShowProblem } from './show-problem.ts';

export function PrimaryAction() {
  const [, navigate] = useLocation();
  const open = useProjectState((state) => state.file !== null);
  const { syntax } = useProject();
  useWeightsReport(usePlan()); // on every page, for what it tells may be a problem
  const problems = useProblems().filter(({ severity }) => severity === 'error');
  const awaited = useProjectState((state) => state.factsAwaited);
  const tooLarge = useMemoryOutlook()?.fit === 'too large';
  const showProblem = useShowProblem();
  const shown = useShownRun();
  const name = usePlan()?.project.name ?? null;
  const { own, other } = useLiveRunsBy(open ? name : null);
  // Of the run on whose page somebody is, else of this project's; another project's run is no answer to what happens with this one.
  const live = shown ?? own ?? (open ? null : other);
  const pending = useRuns((state) => state.pending);

  if (live && live.status !== 'preparing' && live.status !== 'queued') {
    const paused = live.status === 'paused';
    return (
      <Button
        primary
        width={136}
        icon={paused ? IconPlayerPlayFilled : IconPlayerPauseFilled}
        loading={pending[live.name] !== undefined}
        title={`${paused ? 'Continue' : 'Pause'} ${live.name}`}
        onClick={() => void act(live, paused ? 'continue' : 'pause')}
      >
        {paused ? 'Continue' : 'Pause'}
      </Button>
    );
  }
  const first = problems[0];
  if (open && first) {
    return (
      <Button primary width={136} icon={IconTool} title={first.message} onClick={() => showProblem(first)}>
        {problems.length === 1 ? 'Fix 1 problem' : `Fix ${problems.length} problems`}
      </Button>
    );
  }
  return (
    <Button
      primary
      width={136}
      icon={IconPlayerPlayFilled}
      disabled={!open || syntax !== null}
      loading={pending[''] !== undefined || live !== null || awaited}
      title={open ? startWords(other, tooLarge) : 'Open a project to train it'}
      onClick={() => void train(navigate)}
    >
      Train
    </Button>
  );
}

/** What the button does, and what speaks against it. */
function startWords(other: RunRow | null, tooLarge: boolean): string {
  const memory = tooLarge ? ', which may run out of memory' : '';
  const beside = other ? `. ${other.name}, of another project, goes on beside it: each slows the other down` : '';
  return `Start a run of this project${memory}${beside}`;
}

/** Starts a run of the open project and goes to where it is watched, or to what keeps it from starting. */
export async function train(navigate: (to: string) => void): Promise<void> {
  const first = firstError();
  if (first) {
    tell({ tone: 'error', message: `The run could not start: ${first.message}`, hint: first.hint });
    return navigate(`/${pageOf(first)}`);
  }
  const answer = await startRun();
  if ('run' in answer) return navigate(`/runs/${encodeURIComponent(fileName(answer.run))}/monitor`);
  const { message, hint } = answer.error;
  tell({ tone: 'error', message: `The run could not start: ${message}`, ...(hint === undefined ? {} : { hint }) });
}
