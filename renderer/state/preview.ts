/** Samples of the open project's data, read again when the source, the transforms or what is asked for changes. */
import { useEffect, useRef, useState } from 'react';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { isObject } from '../../engine/contract/report.ts';
import type { PartName } from '../../engine/contract/tensors.ts';
import type { ProjectPreview } from '../../engine/contract/wire.ts';
import { connection, engine, retryMs } from '../client/client.ts';
import { relativeTo } from './files.ts';
import { useValueAt } from './form.ts';
import { edit, usePlan, useProjectState } from './project.ts';
import { infoOf, tellError } from './session.ts';

export interface Wanted {
  part: PartName;
  start: number;
  count: number;
  /** null: samples of every class. */
  class: number | null;
  /** Only samples whose name holds this; empty: all. */
  search: string;
  /** Only marked ones. */
  marked: boolean;
  /** Only samples of this split, as the project divides the part; null: all. */
  within?: PartName | null;
  /** These of the part, whatever else is asked for. */
  indices?: number[];
  /** Each is told with its splits. */
  splits?: boolean;
  /** As training sees them in this epoch, from 0; null: as evaluation does. */
  epoch: number | null;
  /** Pictures as thumbnails of so many pixels a side; null: every value. */
  thumbs: number | null;
}

export interface PreviewState {
  /** The newest that was read; stays while the next is on its way. */
  preview: ProjectPreview | null;
  error: ErrorInfo | null;
  reading: boolean;
}

const blank: PreviewState = { preview: null, error: null, reading: false };
/** A person who types a path or a number is not read after at every key. */
const restMs = 150;

/** `round` is changed to read once more what has not changed; `wanted` null: nothing is read. */
export function usePreview(wanted: Wanted | null, round: number): PreviewState {
  const file = useProjectState((state) => state.file);
  const source = useValueAt(['data', 'source']);
  const split = useValueAt(['data', 'split']);
  const transforms = useValueAt(['data', 'transforms']);
  const [state, setState] = useState(blank);
  const [shownFor, setShownFor] = useState('');
  const sourceKey = JSON.stringify([file, source]);
  const typedKey = JSON.stringify([file, source, split, transforms]);
  const typed = useRef(typedKey);
  // Only what is drawn depends on it.
  const seed = useTrainingSeed(wanted !== null && wanted.epoch !== null);
  const wantedKey = JSON.stringify([wanted, round, seed]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys stand for all that is read
  useEffect(() => {
    if (wanted === null || file === null || !isObject(source)) return setState(blank);
    // Samples of another source are not this one's.
    const other = shownFor !== sourceKey;
    setState((before) => ({ ...(other ? blank : before), reading: true }));
    setShownFor(sourceKey);
    const end = new AbortController();
    const read = async (): Promise<void> => {
      const { part, start, count } = wanted;
      try {
        const preview = await engine.data.preview(
          {
            file,
            source,
            split,
            transforms: Array.isArray(transforms) ? transforms : [],
            part,
            start,
            count,
            ...chosen(wanted, seed),
          },
          { signal: end.signal },
        );
        if (!end.signal.aborted) setState({ preview, error: null, reading: false });
      } catch (thrown) {
        if (end.signal.aborted) return;
        const error = infoOf(thrown);
        // The next call waits until the engine is there again; one that is just ending refuses it.
        if (error.code === 'CLOSED' && connection.status !== 'unauthorised') {
          due = setTimeout(() => void read(), retryMs);
          return;
        }
        setState({ preview: null, error, reading: false });
      }
    };
    let due = setTimeout(() => void read(), typed.current === typedKey ? 0 : restMs);
    typed.current = typedKey;
    return () => {
      clearTimeout(due);
      end.abort();
    };
  }, [typedKey, wantedKey]);
  return state;
}

function chosen({ class: only, search, marked, within, indices, splits, epoch, thumbs }: Wanted, seed: number) {
  return {
    ...(only === null ? {} : { class: only }),
    ...(search === '' ? {} : { search }),
    ...(marked ? { marked } : {}),
    ...(within ? { within } : {}),
    ...(indices ? { indices } : {}),
    ...(splits ? { splits } : {}),
    ...(epoch === null ? {} : { epoch, seed }),
    ...(thumbs === null ? {} : { thumbs }),
  };
}

/** What training draws with; 0 where it does not count. */
export function useTrainingSeed(counts: boolean): number {
  const plan = usePlan();
  return counts ? (plan?.project.training.seed ?? 0) : 0;
}

/** Makes the digits that come with the program the project's data; the edit can be undone. */
export async function takeDigits(file: string): Promise<void> {
  try {
    const { folder } = await engine.data.digits();
    if (useProjectState.getState().file !== file) return;
    edit([{ op: 'set', path: ['data', 'source'], value: { kind: 'idx', path: relativeTo(file, folder) } }]);
  } catch (thrown) {
    tellError(thrown);
  }
}
