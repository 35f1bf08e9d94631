/** Why a run stopped being finite: where it began, with which batch, what had gone before, and what usually helps, a button each. */
import type { RunRow } from '../../engine/contract/api.ts';
import type { Autopsy as Found } from '../../engine/contract/autopsy.ts';
import { edit, useProject } from '../state/project.ts';
import { resumeRun, useRuns } from '../state/runs.ts';
import { tell } from '../state/session.ts';
import { Button, Facts, LineChart, number, Panel } from '../ui/index.ts';
import styles from './autopsy.module.css';
import { autopsyFacts, recentLines } from './autopsy-words.ts';

const chartHeight = 110;

export function Autopsy({ run, found }: { run: RunRow; found: Found }) {
  const lines = recentLines(found);
  const first = found.remedies.find(({ edits }) => edits.length > 0);
  return (
    <Panel title="What went wrong">
      <div className={styles.body}>
        <div className={styles.facts}>
          <Facts rows={autopsyFacts(found)} />
        </div>
        <div className={styles.charts}>
          {lines.map((line) => (
            <LineChart
              key={line.key}
              title={`${line.label} before it`}
              series={[line]}
              height={chartHeight}
              yFormat={number}
              compact
            />
          ))}
        </div>
      </div>
      {found.remedies.length > 0 && (
        <section aria-labelledby="autopsy-remedies">
          <h3 className={styles.heading} id="autopsy-remedies">
            What usually helps
          </h3>
          <ol className={styles.remedies}>
            {found.remedies.map((remedy) => (
              <Remedy
                key={remedy.label}
                run={run}
                remedy={remedy}
                resumable={found.checkpoint !== null}
                first={remedy === first}
              />
            ))}
          </ol>
        </section>
      )}
    </Panel>
  );
}

function Remedy({
  run,
  remedy: { label, why, edits },
  resumable,
  first,
}: {
  run: RunRow;
  remedy: Found['remedies'][number];
  resumable: boolean;
  /** The one that is advised before all others. */
  first: boolean;
}) {
  const busy = useRuns((state) => state.pending[run.name] === 'resume');
  const { project } = useProject();
  // The run's own settings stay what they were: what is edited is the project that the next run is made of.
  const open = project !== null && project.name === run.summary?.name;
  const apply = () => {
    if (edit(edits))
      tell({ tone: 'info', message: `${label}: done in the project`, hint: 'The next run begins with it.' });
  };
  return (
    <li className={styles.remedy}>
      <div>
        <p className={styles.label}>{label}</p>
        <p className={styles.why}>{why}</p>
      </div>
      {edits.length > 0 && (
        <div className={styles.actions}>
          {open && (
            <Button size="xs" title="An edit of the open project, which can be undone" onClick={apply}>
              Edit the project
            </Button>
          )}
          {resumable && (
            <Button
              size="xs"
              primary={first}
              loading={busy}
              title="This run goes on from its last good state with this change"
              onClick={() => void resumeRun(run, { edits })}
            >
              Resume with it
            </Button>
          )}
        </div>
      )}
    </li>
  );
}
