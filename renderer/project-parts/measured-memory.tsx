/** Memory that was measured beside the memory that is estimated: what to expect, how sure that is, and a button that measures. */
import { IconGauge } from '@tabler/icons-react';
import { type MemoryCorrection, percentOff } from '../../engine/contract/estimate-correction.ts';
import type { MemoryFinding } from '../../engine/contract/finders.ts';
import { howMeasured } from '../../engine/contract/memory-words.ts';
import { measureMemory, useMeasuredMemory } from '../state/memory.ts';
import { expectedMemory } from '../state/memory-fit.ts';
import { useTask } from '../state/tasks.ts';
import { Button, bytes, integer, Num, plural } from '../ui/index.ts';
import styles from './project-parts.module.css';
import { TaskState } from './task-state.tsx';

export function MeasuredMemory({ estimated, ready }: { estimated: number; ready: boolean }) {
  const { correction, finding } = useMeasuredMemory();
  const task = useTask(measureMemory);
  return (
    <div className={styles.measured}>
      <p className={styles.expected} role="status">
        {correction ? correctionSentence(estimated, correction) : 'Not measured on this device yet.'}
      </p>
      {finding && <Phases finding={finding} />}
      {finding && <p className={styles.quiet}>{howMeasured(finding)}</p>}
      <TaskState task={task} />
      <div className={styles.measure}>
        {task.running ? (
          <Button size="xs" onClick={task.cancel}>
            Cancel
          </Button>
        ) : (
          <Button size="xs" icon={IconGauge} disabled={!ready} onClick={() => task.start(null)}>
            {correction?.same ? 'Measure again' : 'Measure'}
          </Button>
        )}
        {!task.running && (
          <span className={styles.quiet}>
            with two small batches and, where there is room, your own, in a process apart
          </span>
        )}
      </div>
    </div>
  );
}

/** "Expect 331 MiB on cpu, within 2 %: this network was measured there." */
function correctionSentence(estimated: number, correction: MemoryCorrection): string {
  const { device, networks, same } = correction;
  const from = same ? 'this network was measured there' : `${plural(networks, 'other network')} measured there`;
  return `Expect ${bytes(expectedMemory(estimated, correction).value)} on ${device}, within ${percentOff(correction)} %: ${from}.`;
}

const phaseNames = { forward: 'Forward', backward: 'Backward', update: 'Update', evaluation: 'Validation' } as const;

function Phases({ finding: { probes, phases, batch_size: size } }: { finding: MemoryFinding }) {
  const columns = [...probes, { ...phases, batch_size: size }];
  const shown = Object.entries(phaseNames).filter(([phase]) => phases[phase as keyof typeof phaseNames] > 0);
  return (
    <table className={styles.phases}>
      <thead>
        <tr>
          <th scope="col">Batch of</th>
          {columns.map(({ batch_size: batch }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the project's own size may be one of those tried
            <th key={index} scope="col">
              {integer(batch)}
              {index === probes.length && <span className={styles.quiet}> expected</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map(([phase, name]) => (
          <tr key={phase}>
            <th scope="row">{name}</th>
            {columns.map((column, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <td key={index}>
                <Num>{bytes(column[phase as keyof typeof phaseNames])}</Num>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
