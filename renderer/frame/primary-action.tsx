/** The one primary button: always in the same place, and its label says what will happen. */
import { IconPlayerPauseFilled, IconPlayerPlayFilled, IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { pageOf, useProblems } from '../state/problems.ts';
import { useProject, useProjectState } from '../state/project.ts';
import { act, startRun, useLiveRun, useRuns } from '../state/runs.ts';
import { tell } from '../state/session.ts';
import { Button } from '../ui/index.ts';

export function PrimaryAction() {
  const [, navigate] = useLocation();
  const open = useProjectState((state) => state.file !== null);
  const { syntax } = useProject();
  const problems = useProblems().filter(({ severity }) => severity === 'error');
  const live = useLiveRun();
  const pending = useRuns((state) => state.pending);
  const [starting, setStarting] = useState(false);

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
      <Button primary width={136} icon={IconTool} title={first.message} onClick={() => navigate(`/${pageOf(first)}`)}>
        {problems.length === 1 ? 'Fix 1 problem' : `Fix ${problems.length} problems`}
      </Button>
    );
  }
  const train = async () => {
    setStarting(true);
    const answer = await startRun();
    setStarting(false);
    if ('run' in answer) navigate(`/runs/${encodeURIComponent(nameOf(answer.run))}/monitor`);
    else tellFailure(answer.error);
  };
  return (
    <Button
      primary
      width={136}
      icon={IconPlayerPlayFilled}
      disabled={!open || syntax !== null}
      loading={starting || live !== null}
      title={open ? 'Start a run of this project' : 'Open a project to train it'}
      onClick={() => void train()}
    >
      Train
    </Button>
  );
}

export function nameOf(folder: string): string {
  return folder.split(/[\\/]/).at(-1) ?? folder;
}

function tellFailure({ message, hint }: ErrorInfo): void {
  tell({ tone: 'error', message: `The run could not start: ${message}`, ...(hint === undefined ? {} : { hint }) });
}
