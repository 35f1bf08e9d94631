/** What the doctor found, one line each: faults first, with what to do. */
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { DeviceReport } from '../../engine/contract/wire.ts';
import { CodeLine, Panel, plural } from '../ui/index.ts';
import styles from './devices.module.css';

type Finding = DeviceReport['findings'][number];

/** The command of a hint such as `Run: npm run setup`. */
export function commandIn(hint: string | undefined): string | null {
  return hint === undefined ? null : (/^Run: (\S.*)$/.exec(hint)?.[1] ?? null);
}

export function Findings({ findings }: { findings: readonly Finding[] }) {
  const faults = findings.filter(({ ok }) => !ok);
  const sound = findings.filter(({ ok }) => ok);
  return (
    <Panel
      title="Checks"
      hint={faults.length === 0 ? 'everything is in order' : `${plural(faults.length, 'thing')} to look at`}
      padding="none"
    >
      <ul className={styles.findings}>
        {[...faults, ...sound].map((finding) => (
          <Row key={`${finding.title} ${finding.detail}`} finding={finding} />
        ))}
      </ul>
    </Panel>
  );
}

function Row({ finding: { ok, title, detail, hint } }: { finding: Finding }) {
  const command = commandIn(hint);
  return (
    <li className={styles.finding} data-ok={ok}>
      {ok ? <IconCircleCheck size={16} aria-label="In order" /> : <IconAlertTriangle size={16} aria-label="Look at" />}
      <span className={styles.findingTitle}>{title}</span>
      <div className={styles.detail}>
        {detail}
        {hint !== undefined &&
          (command === null ? <p className={styles.hint}>{hint}</p> : <CodeLine>{command}</CodeLine>)}
      </div>
    </li>
  );
}
