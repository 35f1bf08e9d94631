/** Two runs or more side by side: their curves over each other, what they were trained with, what came of it. */
import { IconArrowLeft, IconX } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import { useChartView, ViewControls, xWords, yWords } from '../run-parts/chart-view.tsx';
import { useKept } from '../run-parts/kept.ts';
import { apart, valueLine } from '../run-parts/lines.ts';
import { LiveChart } from '../run-parts/live-chart.tsx';
import { nameLabel, partOf } from '../run-parts/quantities.ts';
import { runColor } from '../run-parts/run-color.ts';
import { curvesOf, type FollowedRun, useFollowedRuns, useValueNames } from '../run-parts/use-curves.ts';
import { useManyDetails } from '../state/run-details.ts';
import { isLive, useRuns } from '../state/runs.ts';
import { Button, Choice, EmptyState, IconButton, Notice, Page, Panel, Segmented, Skeleton } from '../ui/index.ts';
import { comparedResults, comparedSettings, mostCompared } from './comparison.ts';
import { ComparisonTable } from './comparison-table.tsx';
import { CutName } from './cut-name.tsx';
import styles from './runs.module.css';

export default function ComparePage({ names }: { names: readonly string[] }) {
  const list = useRuns((state) => state.list);
  const [, navigate] = useLocation();
  const joined = names.join('\n');
  const wanted = useMemo(() => [...new Set(joined.split('\n'))], [joined]);
  const known = useMemo(() => wanted.flatMap((name) => list?.find((run) => run.name === name) ?? []), [list, wanted]);
  const runs = useMemo(() => known.slice(0, mostCompared), [known]);
  if (list === null) {
    return (
      <Page title="Compare runs">
        <Skeleton height={320} />
        <Skeleton kind="rows" lines={8} />
      </Page>
    );
  }
  const show = (next: readonly string[]) => navigate(addressOf(next));
  const missing = wanted.filter((name) => !known.some((run) => run.name === name)).slice(0, mostCompared);
  return (
    <Page
      title="Compare runs"
      actions={
        <>
          {known.length < mostCompared && (
            <AddRun list={list} names={wanted} onAdd={(name) => show([...wanted, name])} />
          )}
          <Link href="/runs" asChild>
            <Button>All runs</Button>
          </Link>
        </>
      }
    >
      {missing.map((name) => (
        <Notice
          key={name}
          tone="warn"
          title={`There is no run ${name}`}
          actions={
            <Button size="xs" onClick={() => show(wanted.filter((each) => each !== name))}>
              Remove it
            </Button>
          }
        >
          It was deleted, renamed or moved.
        </Notice>
      ))}
      {known.length > runs.length && (
        <Notice title={`The first ${runs.length} of ${known.length} runs are shown`}>
          More lie too close together to be told apart. Remove some, or select fewer in the list of runs.
        </Notice>
      )}
      {runs.length === 0 ? (
        <EmptyState title="Nothing to compare">
          Select two or more runs in the list of runs, then press Compare.
        </EmptyState>
      ) : (
        <Comparison runs={runs} onChange={show} />
      )}
    </Page>
  );
}

function addressOf(names: readonly string[]): string {
  return names.length === 0 ? '/runs' : `/compare/${names.map(encodeURIComponent).join(',')}`;
}

/** As many runs are offered to be added. */
const mostOffered = 200;

function AddRun({
  list,
  names,
  onAdd,
}: {
  list: readonly RunRow[];
  names: readonly string[];
  onAdd: (name: string) => void;
}) {
  const options = list
    .filter(({ name }) => !names.includes(name))
    .slice(0, mostOffered)
    .map(({ name }) => ({ value: name, label: name }));
  if (options.length === 0) return null;
  return (
    <Choice label="Add a run" placeholder="Add a run" value={null} options={options} width={200} onChange={onAdd} />
  );
}

function Comparison({ runs, onChange }: { runs: readonly RunRow[]; onChange: (names: readonly string[]) => void }) {
  const [shown, setShown] = useState<'differing' | 'all'>('differing');
  const details = useManyDetails(runs);
  const settings = useMemo(() => comparedSettings(details, runs), [details, runs]);
  const results = useMemo(() => comparedResults(runs), [runs]);
  // (A run without averaging has the value "off", one that is not read yet has none.)
  const ema = settings.find(({ key }) => key === 'training.ema')?.values;
  const averaged = runs.filter((_, index) => ema?.[index] === 'on').map(({ name }) => name);
  const differing = settings.filter(({ differs }) => differs);
  const heads = runs.map((run, index) => (
    <RunHead
      key={run.folder}
      name={run.name}
      color={runColor(run)}
      {...(index > 0 ? { onLeft: () => onChange(swapped(runs, index)) } : {})}
      onRemove={() => onChange(runs.filter((each) => each !== run).map(({ name }) => name))}
    />
  ));
  return (
    <>
      <Curves runs={runs} />
      <Panel
        title="Results"
        padding="none"
        {...(averaged.length > 0 ? { hint: averagedHint(averaged, runs.length) } : {})}
      >
        <ComparisonTable label="Results" heads={heads} rows={results} />
      </Panel>
      <Panel
        title="Settings"
        hint={differing.length === 0 ? 'they have the same' : `${differing.length} differ`}
        padding="none"
        actions={
          <Segmented
            label="Settings shown"
            value={shown}
            onChange={setShown}
            options={[
              { value: 'differing', label: 'Those that differ' },
              { value: 'all', label: 'All' },
            ]}
          />
        }
      >
        <ComparisonTable
          label="Settings"
          heads={heads}
          rows={shown === 'all' ? settings : differing}
          empty="All settings are the same."
        />
      </Panel>
    </>
  );
}

function averagedHint(names: readonly string[], all: number): string {
  const whose = names.length === all ? 'all runs' : names.join(', ');
  return `validation values of ${whose} are of the averaged weights`;
}

function swapped(runs: readonly RunRow[], index: number): string[] {
  const names = runs.map(({ name }) => name);
  const [name] = names.splice(index, 1);
  names.splice(index - 1, 0, name as string);
  return names;
}

function RunHead({
  name,
  color,
  onLeft,
  onRemove,
}: {
  name: string;
  color: string;
  onLeft?: () => void;
  onRemove: () => void;
}) {
  return (
    <span className={styles.runHead}>
      <span className={styles.dot} style={{ background: color }} aria-hidden />
      <Link href={`/runs/${encodeURIComponent(name)}`} className={styles.runHeadName} title={name}>
        <CutName name={name} />
      </Link>
      {onLeft && <IconButton label={`Move ${name} to the left`} icon={IconArrowLeft} size={24} onClick={onLeft} />}
      <IconButton label={`Remove ${name} from the comparison`} icon={IconX} size={24} onClick={onRemove} />
    </span>
  );
}

function Curves({ runs }: { runs: readonly RunRow[] }) {
  const [view, changeView] = useChartView();
  const followed = useFollowedRuns(runs);
  const lives = useMemo(() => followed.map(({ live }) => live), [followed]);
  const names = useValueNames(lives);
  const [kept, keep] = useKept<string>('compare.value', 'val_loss');
  const offered = offeredNames(names);
  const name = offered.includes(kept) ? kept : (offered[0] ?? kept);
  return (
    <Panel>
      <div className={styles.compareControls}>
        <Choice
          label="Value drawn"
          value={name}
          options={offered.map((value) => ({ value, label: nameLabel(value) }))}
          width={200}
          onChange={keep}
        />
        <ViewControls view={view} onChange={changeView} />
      </div>
      <CompareChart name={name} followed={followed} view={view} />
    </Panel>
  );
}

const leftOut = new Set(['epoch', 'step', 'seconds']);

/** Losses first, then metrics, then what a run tells besides; the validation before the training. */
function offeredNames(names: readonly string[]): string[] {
  const rank = (name: string) => {
    const { key, part } = partOf(name);
    return (part === null ? 4 : key === 'loss' ? 0 : 2) + (part === 'train' ? 1 : 0);
  };
  return names.filter((name) => !leftOut.has(name)).sort((a, b) => rank(a) - rank(b));
}

function CompareChart({
  name,
  followed,
  view: { axis, log, smoothing },
}: {
  name: string;
  followed: readonly FollowedRun[];
  view: ReturnType<typeof useChartView>[0];
}) {
  const lives = useMemo(() => followed.map(({ live }) => live), [followed]);
  const build = useCallback(
    () => apart(followed.flatMap(({ run, live }) => valueLine(run, curvesOf(live), name, axis) ?? [])),
    [followed, name, axis],
  );
  return (
    <LiveChart
      title={nameLabel(name)}
      build={build}
      runs={lives}
      height={320}
      logY={log}
      smoothing={smoothing}
      live={followed.some(({ run }) => isLive(run.status))}
      {...yWords(partOf(name).key)}
      empty="None of these runs has told this value."
      {...xWords(axis)}
    />
  );
}
