/** Facts of a run as short lists: results, environment, checkpoints, exports. */
import type { ReactNode } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import type { RunDetails } from '../../engine/contract/wire.ts';
import { DownloadButton } from '../run-parts/export-dialog.tsx';
import { figureOf, nameLabel, partOf, quantity } from '../run-parts/quantities.ts';
import { showValue } from '../run-parts/settings.ts';
import { desktop } from '../state/run-details.ts';
import { ago, bytes, count, duration, integer, moment, plural, rate } from '../ui/index.ts';
import styles from './runs.module.css';

export function Facts({ rows }: { rows: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {rows.map(([label, value]) => (
        <div key={label} className={styles.fact}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Results({ run: { summary } }: { run: RunRow }) {
  if (!summary) return <p className={styles.quiet}>Nothing is told yet.</p>;
  const { best } = summary;
  const last = Object.entries(summary.last).flatMap(([name, value]) => {
    const figure = figureOf(value);
    return figure === null ? [] : [[nameLabel(name), quantity(partOf(name).key).format(figure)] as const];
  });
  return (
    <Facts
      rows={[
        ['Epochs', `${integer(summary.epoch)} of ${integer(summary.epochs)}`],
        ['Steps', integer(summary.step)],
        ...(best
          ? [
              [
                `Best ${nameLabel(best.monitor).toLowerCase()}`,
                `${quantity(partOf(best.monitor).key).format(best.value)}, epoch ${integer(best.epoch)}`,
              ] as const,
            ]
          : []),
        ...last,
        ['Parameters', count(summary.parameters)],
        ['Speed', summary.samples_per_second === null ? '—' : rate(summary.samples_per_second, 'samples')],
        ['Time trained', duration(summary.seconds)],
      ]}
    />
  );
}

const environmentWords: Record<string, string> = {
  device: 'Device',
  device_label: 'Hardware',
  device_reason: 'Why this device',
  precision: 'Precision',
  precision_reason: 'Why this precision',
  threads: 'Threads',
  cpu: 'CPU instructions',
  seed: 'Seed',
  deterministic: 'Deterministic',
  data_hash: 'Data hash',
  split_hash: 'Split hash',
};

export function EnvironmentFacts({ details: { environment, folder, bytes: size } }: { details: RunDetails }) {
  const versions = environment.versions;
  return (
    <Facts
      rows={[
        ...Object.entries(environmentWords).flatMap(([key, label]) =>
          environment[key] === undefined ? [] : [[label, showValue(environment[key])] as const],
        ),
        ...(typeof versions === 'object' && versions !== null
          ? Object.entries(versions).map(([name, version]) => [name, String(version)] as const)
          : []),
        ['Folder', <code key="folder">{folder}</code>],
        ['Size on disk', bytes(size)],
      ]}
    />
  );
}

export function Checkpoints({ details: { checkpoints } }: { details: RunDetails }) {
  if (checkpoints.length === 0) return <p className={styles.quiet}>None is saved yet.</p>;
  return (
    <ul className={styles.list}>
      {checkpoints.toReversed().map(({ folder, step, epoch, roles, bytes: size }) => (
        <li key={folder} className={styles.item}>
          <span>
            Epoch {integer(epoch)}, step {integer(step)}
            {roles.map((role) => (
              <span key={role} className={styles.role}>
                {role}
              </span>
            ))}
          </span>
          <span className={styles.quiet}>{bytes(size)}</span>
        </li>
      ))}
    </ul>
  );
}

export function Exports({ run, details: { exports: files } }: { run: RunRow; details: RunDetails }) {
  if (files.length === 0) {
    return <p className={styles.quiet}>None yet. Export writes the weights as a file that PyTorch loads.</p>;
  }
  return (
    <ul className={styles.list} aria-label={plural(files.length, 'export')}>
      {files.map(({ name, bytes: size, modified }) => (
        <li key={name} className={styles.item}>
          <span className={styles.file} title={name}>
            {name}
          </span>
          <span className={styles.quiet} title={moment(modified)}>
            {bytes(size)}, {ago(modified)}
          </span>
          {!desktop() && <DownloadButton run={run} name={name} />}
        </li>
      ))}
    </ul>
  );
}
