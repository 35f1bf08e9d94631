/** The columns of the table of runs. */
import type { RunRow } from '../../engine/contract/api.ts';
import { lastOf, metricKeys, nameLabel, partOf, quantity } from '../run-parts/quantities.ts';
import { runColor } from '../run-parts/run-color.ts';
import { isLive } from '../state/runs.ts';
import { ago, type Column, count, duration, moment, Num, rate, StatusBadge } from '../ui/index.ts';
import { CutName } from './cut-name.tsx';
import styles from './runs.module.css';

export function canRemove({ status }: RunRow): boolean {
  return !isLive(status);
}

/** As many metrics have a column of their own. */
const mostMetrics = 2;

/** Up to the parameters all are in sight in a window of 1440 pixels, the details beside them. */
export function columnsOf(runs: readonly RunRow[]): Column<RunRow>[] {
  const metrics = metricKeys(runs.flatMap(({ summary }) => Object.keys(summary?.last ?? {}))).slice(0, mostMetrics);
  return [
    {
      key: 'name',
      title: 'Run',
      width: 'minmax(148px, 2fr)',
      sort: ({ name }) => name,
      render: (run) => (
        <span className={styles.name} title={run.name}>
          <span className={styles.dot} style={{ background: runColor(run) }} aria-hidden />
          <CutName name={run.name} />
        </span>
      ),
    },
    {
      key: 'status',
      title: 'State',
      width: 112,
      sort: ({ status }) => status,
      render: ({ status }) => <StatusBadge status={status} />,
    },
    {
      key: 'project',
      title: 'Project',
      width: 'minmax(88px, 1fr)',
      sort: ({ summary }) => summary?.name,
      render: ({ summary }) => <span title={summary?.name}>{summary?.name ?? '—'}</span>,
    },
    {
      key: 'when',
      title: 'Changed',
      width: 84,
      align: 'right',
      descendingFirst: true,
      sort: ({ summary }) => (summary ? Date.parse(summary.updated) : null),
      render: ({ summary }) => (summary ? <span title={moment(summary.updated)}>{ago(summary.updated)}</span> : '—'),
    },
    {
      key: 'epochs',
      title: 'Epochs',
      width: 70,
      align: 'right',
      descendingFirst: true,
      sort: ({ summary }) => summary?.epoch,
      render: ({ summary }) => (summary ? <Num>{`${summary.epoch}/${summary.epochs}`}</Num> : '—'),
    },
    ...['loss', ...metrics].map(valueColumn),
    {
      key: 'best',
      title: 'Best',
      width: 72,
      align: 'right',
      sort: ({ summary }) => summary?.best?.value,
      render: ({ summary }) => {
        const best = summary?.best;
        if (!best) return '—';
        const title = `${nameLabel(best.monitor)}, epoch ${best.epoch}`;
        return <Num title={title}>{quantity(partOf(best.monitor).key).format(best.value)}</Num>;
      },
    },
    {
      key: 'duration',
      title: 'Duration',
      width: 78,
      align: 'right',
      descendingFirst: true,
      sort: ({ summary }) => summary?.seconds,
      render: ({ summary }) => (summary ? <Num>{duration(summary.seconds)}</Num> : '—'),
    },
    {
      key: 'speed',
      title: 'Samples/s',
      width: 84,
      align: 'right',
      descendingFirst: true,
      sort: ({ summary }) => summary?.samples_per_second,
      render: ({ summary }) => (summary?.samples_per_second ? <Num>{rate(summary.samples_per_second)}</Num> : '—'),
    },
    {
      key: 'parameters',
      title: 'Parameters',
      width: 104,
      align: 'right',
      descendingFirst: true,
      sort: ({ summary }) => summary?.parameters,
      render: ({ summary }) => (summary ? <Num>{count(summary.parameters)}</Num> : '—'),
    },
    {
      key: 'device',
      title: 'Device',
      width: 72,
      sort: ({ summary }) => summary?.device,
      render: ({ summary }) => summary?.device ?? '—',
    },
  ];
}

/** The last epoch's value; of the validation where it ran. */
function valueColumn(key: string): Column<RunRow> {
  const { label, format, better } = quantity(key);
  return {
    key,
    title: label,
    width: 74,
    align: 'right',
    descendingFirst: better === 'higher',
    sort: (run) => lastOf(run, key)?.value,
    render: (run) => {
      const last = lastOf(run, key);
      return last ? <Num title={`${nameLabel(last.name)}, last epoch`}>{format(last.value)}</Num> : '—';
    },
  };
}
