/** All runs: a table to sort, filter and select in, the curves of the selection on top, the details of one at the right. */
import { IconArrowsDiff, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { RunRow } from '../../engine/contract/api.ts';
import { removeRuns, useRuns } from '../state/runs.ts';
import { Button, DataTable, EmptyState, ErrorNotice, Page, plural, SearchField, Skeleton } from '../ui/index.ts';
import { mostCompared } from './comparison.ts';
import { DeletedRuns } from './deleted-runs.tsx';
import { canRemove, columnsOf } from './run-columns.tsx';
import { RunDetailsPanel } from './run-details-panel.tsx';
import { type Filter, filterRuns } from './run-filter.ts';
import styles from './runs.module.css';
import { SelectionCurves } from './selection-curves.tsx';
import { SelectionPanel } from './selection-panel.tsx';
import { StateFilter } from './state-filter.tsx';

export default function RunsPage({ name }: { name: string | null }) {
  const list = useRuns((state) => state.list);
  const error = useRuns((state) => state.error);
  if (list === null) {
    return <Page title="Runs">{error ? <ErrorNotice error={error} /> : <Skeleton kind="rows" lines={12} />}</Page>;
  }
  if (list.length === 0) return <NoRuns />;
  return <Runs list={list} name={name} />;
}

function NoRuns() {
  const [, navigate] = useLocation();
  return (
    <Page title="Runs" actions={<DeletedRuns />}>
      <EmptyState title="No runs yet" action={<Button onClick={() => navigate('/')}>Choose a project</Button>}>
        Every training is kept here: its curves, settings, checkpoints and exports. Open a project and press Train to
        start the first one.
      </EmptyState>
    </Page>
  );
}

function without(keys: ReadonlySet<string>, key: string): Set<string> {
  return new Set([...keys].filter((each) => each !== key));
}

const rowKey = (run: RunRow) => run.name;

function Runs({ list, name }: { list: RunRow[]; name: string | null }) {
  const [, navigate] = useLocation();
  const [filter, setFilter] = useState<Filter>({ text: '', states: 'all' });
  const [more, setMore] = useState<ReadonlySet<string>>(new Set());
  // The address names the run whose details are shown; what is selected besides is the page's own.
  const selected = useMemo(() => {
    const keys = new Set(more);
    if (name !== null) keys.add(name);
    return keys;
  }, [more, name]);
  const rows = useMemo(() => filterRuns(list, filter), [list, filter]);
  const columns = useMemo(() => columnsOf(list), [list]);
  const chosen = useMemo(() => list.filter((run) => selected.has(run.name)), [list, selected]);
  const [one] = chosen;
  // What is on top never changes its height: a row stays where it was clicked.
  const drawn = useMemo(() => (chosen.length > 0 ? chosen : list.slice(0, 1)), [chosen, list]);

  const select = (keys: ReadonlySet<string>) => {
    setMore(keys);
    const [only] = keys;
    const to = keys.size === 1 && only !== undefined ? `/runs/${encodeURIComponent(only)}` : '/runs';
    navigate(to, { replace: name !== null });
  };
  const remove = (keys: ReadonlySet<string>) => {
    const gone = list.filter((run) => keys.has(run.name) && canRemove(run));
    if (gone.length === 0) return;
    select(new Set());
    void removeRuns(gone);
  };
  const compare = () => navigate(`/compare/${chosen.map((run) => encodeURIComponent(run.name)).join(',')}`);
  const removable = chosen.filter(canRemove).length;

  return (
    <Page
      title="Runs"
      subtitle={plural(list.length, 'run')}
      flush
      asideLabel="Run details"
      asideWidth={360}
      aside={
        one && chosen.length === 1 ? (
          <RunDetailsPanel key={one.folder} run={one} onRenamed={(to) => select(new Set([to]))} />
        ) : (
          <SelectionPanel runs={chosen} onLeave={(run) => select(without(selected, run.name))} />
        )
      }
      actions={
        <>
          <DeletedRuns />
          <Button
            icon={IconArrowsDiff}
            disabled={chosen.length < 2 || chosen.length > mostCompared}
            title={
              chosen.length < 2
                ? 'Select two or more runs'
                : chosen.length > mostCompared
                  ? `Select ${mostCompared} runs at most`
                  : 'See curves, settings and results side by side'
            }
            onClick={compare}
          >
            Compare
          </Button>
          <Button
            icon={IconTrash}
            disabled={removable === 0}
            title={
              chosen.length > 0 && removable === 0
                ? 'A run that lives is stopped or discarded first'
                : 'Delete the selected runs'
            }
            onClick={() => remove(selected)}
          >
            Delete
          </Button>
        </>
      }
    >
      <SelectionCurves runs={drawn} selected={chosen.length} />
      {name !== null && chosen.length === 0 && <p className={styles.missing}>There is no run {name} any more.</p>}
      <div className={styles.filter}>
        <SearchField
          label="Filter runs"
          placeholder="Filter"
          value={filter.text}
          onChange={(text) => setFilter({ ...filter, text })}
          width={200}
        />
        <StateFilter value={filter.states} onChange={(states) => setFilter({ ...filter, states })} />
        {rows.length < list.length && `${rows.length} of ${plural(list.length, 'run')}`}
      </div>
      <div className={styles.table}>
        <DataTable
          label="Runs"
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          selected={selected}
          onSelect={select}
          onOpen={(run) => navigate(`/runs/${encodeURIComponent(run.name)}/monitor`)}
          onDelete={remove}
          empty="No run fits the filter."
        />
      </div>
    </Page>
  );
}
