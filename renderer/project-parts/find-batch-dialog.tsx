/** The batch size search: larger and larger batches are really trained and evaluated with, and the one that pays is suggested. */
import { useState } from 'react';
import type { BatchFinding, BatchOptions, BatchProbe } from '../../engine/contract/finders.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { change } from '../state/form.ts';
import type { Room } from '../state/memory-fit.ts';
import { findBatch, useTask } from '../state/tasks.ts';
import { Button, bytes, type Column, DataTable, Dialog, integer, Notice, Num, rate } from '../ui/index.ts';
import styles from './project-parts.module.css';
import { NumberOption } from './task-options.tsx';
import { TaskState } from './task-state.tsx';

const mebibyte = 2 ** 20;
const rowHeight = 32;

/** `room`: what the device that a run would take has; null where it does not tell. */
export function FindBatchDialog({
  plan,
  room,
  onHost,
  onClose,
}: {
  plan: Plan;
  room: Room | null;
  onHost: boolean;
  onClose: () => void;
}) {
  const task = useTask(findBatch);
  const { batch_size } = plan.project.data.loader;
  // Without a limit a search on the CPU would fill the computer before it learns anything.
  const [memory, setMemory] = useState<number | null>(
    onHost && room ? Math.max(1, Math.round(room.free / 2 / mebibyte)) : null,
  );
  const { progress, result, running } = task;
  const probes = result?.probes ?? progress?.probes ?? [];
  const suggestion = result?.suggestion ?? null;
  const ready = !onHost || memory !== null;
  const options: BatchOptions = memory === null ? {} : { memory };
  const apply = (size: number) => {
    change(['data', 'loader', 'batch_size'], size);
    onClose();
  };
  const search = (
    <Button primary={suggestion === null} disabled={!ready} loading={running} onClick={() => task.start(options)}>
      {result ? 'Search again' : 'Search'}
    </Button>
  );
  return (
    <Dialog
      onClose={onClose}
      title="Find batch size"
      size={640}
      actions={
        <>
          <Button onClick={running ? task.cancel : onClose}>{running ? 'Cancel' : 'Close'}</Button>
          {search}
          {suggestion !== null && (
            <Button primary disabled={suggestion === batch_size} onClick={() => apply(suggestion)}>
              {suggestion === batch_size ? `${integer(suggestion)} is set already` : `Use ${integer(suggestion)}`}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.stack}>
        <p className={styles.lead}>
          Each size is tried in a process of its own: forward, backward, an optimizer step and an evaluation. What runs
          out of memory harms nothing else.
        </p>
        {onHost && (
          <div className={styles.options}>
            <NumberOption
              label="Memory at most, MiB"
              value={memory}
              onChange={setMemory}
              disabled={running}
              from={1}
              whole
              width={200}
              hint={room ? `${bytes(room.free)} are free` : ''}
            />
          </div>
        )}
        <TaskState task={task} />
        {result && <Outcome finding={result} />}
        {probes.length > 0 && (
          <DataTable
            label="Sizes that were tried"
            columns={columns(suggestion, batch_size)}
            rows={bySize(probes)}
            rowKey={({ batch_size: size }) => String(size)}
            height={(Math.min(probes.length, 9) + 1) * rowHeight + 2}
          />
        )}
      </div>
    </Dialog>
  );
}

function bySize(probes: readonly BatchProbe[]): BatchProbe[] {
  return [...probes].sort((a, b) => a.batch_size - b.batch_size);
}

function columns(suggestion: number | null, current: number): Column<BatchProbe>[] {
  return [
    {
      key: 'size',
      title: 'Size',
      width: 80,
      align: 'right',
      render: ({ batch_size: size }) => <Num>{integer(size)}</Num>,
    },
    {
      key: 'peak',
      title: 'Peak memory',
      width: 110,
      align: 'right',
      render: ({ peak }) => (peak === null ? '—' : <Num>{bytes(peak)}</Num>),
    },
    {
      key: 'speed',
      title: 'Samples/s',
      width: 100,
      align: 'right',
      render: ({ samples_per_second: speed }) => (speed === null ? '—' : <Num>{rate(speed)}</Num>),
    },
    {
      key: 'result',
      title: 'Result',
      render: ({ batch_size: size, fits, problem }) =>
        !fits ? (
          <span title={problem}>{problem ?? 'Does not fit'}</span>
        ) : size === suggestion ? (
          <strong>Suggested</strong>
        ) : size === current ? (
          'Ran; the size of now'
        ) : (
          'Ran'
        ),
    },
  ];
}

const limits: Record<BatchFinding['limit'], string> = {
  memory: 'Larger ones ran out of memory.',
  max: 'Larger ones were not tried.',
  samples: 'There are no more training samples.',
};

function Outcome({ finding: { suggestion, largest, reason, limit, current } }: { finding: BatchFinding }) {
  if (largest === null) {
    return (
      <Notice tone="bad" title="Not even the smallest batch ran">
        {reason}
      </Notice>
    );
  }
  const title =
    suggestion === null
      ? `The largest that ran is ${integer(largest)}`
      : `${integer(suggestion)} is suggested; the project has ${integer(current)}`;
  return (
    <Notice tone={suggestion === null ? 'warn' : 'ok'} title={title}>
      {reason} The largest that ran is {integer(largest)}. {limits[limit]}
    </Notice>
  );
}
