/** A page of the table that the open project's source is, read again when the source or what is asked for changes. */
import { useEffect, useState } from 'react';
import type { TablePage } from '../../engine/contract/data/table.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { engine } from '../client/client.ts';
import { useSource } from './data-place.ts';
import { infoOf } from './session.ts';

export interface TableWish {
  start: number;
  count: number;
  search: string;
  sort: { column: string; down: boolean } | null;
}

export interface TableState {
  /** The newest that was read; stays while the next is on its way. */
  page: TablePage | null;
  error: ErrorInfo | null;
  reading: boolean;
}

const restMs = 150;

/** `wanted` false: nothing is read. */
export function useTable(wish: TableWish, wanted: boolean, round: number): TableState {
  const source = useSource();
  const [state, setState] = useState<TableState & { key: string | null }>({
    key: null,
    page: null,
    error: null,
    reading: false,
  });
  const asked = JSON.stringify(wish);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts stand for all that is read
  useEffect(() => {
    if (!wanted || source === null) return;
    const { key, ...ofProject } = source;
    const end = new AbortController();
    setState((before) => ({ ...before, error: null, reading: true }));
    const { search, sort, ...rest } = wish;
    const read = () =>
      engine.data
        .table(
          { ...ofProject, ...rest, ...(search === '' ? {} : { search }), ...(sort === null ? {} : { sort }) },
          { signal: end.signal },
        )
        .then(
          (page) => end.signal.aborted || setState({ key, page, error: null, reading: false }),
          (thrown) => end.signal.aborted || setState({ key, page: null, error: infoOf(thrown), reading: false }),
        );
    const due = setTimeout(() => void read(), restMs);
    return () => {
      clearTimeout(due);
      end.abort();
    };
  }, [source?.key, asked, wanted, round]);
  // Another role of a column is another source, and the same table.
  return state;
}
