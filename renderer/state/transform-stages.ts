/** One sample after each of the open project's transforms, as exactly those make it. */
import { useEffect, useState } from 'react';
import type { PartName } from '../../engine/contract/tensors.ts';
import type { ProjectPreview } from '../../engine/contract/wire.ts';
import { engine } from '../client/client.ts';
import { useSource } from './data-place.ts';
import { useValueAt } from './form.ts';
import { useTrainingSeed } from './preview.ts';

export interface StageWish {
  part: PartName;
  index: number;
  /** As training sees it in this epoch, from 0; null: as evaluation does. */
  epoch: number | null;
  /** Pixels a side. */
  side: number;
}

/** More than these nobody compares at a glance, and each is asked for. */
export const mostStages = 12;
/** What a person looks at meanwhile is not to wait for them. */
const atOnce = 2;
const restMs = 250;

/** `stages[i]`: after the transform at `i`; null where it cannot be told, or not yet. */
export function useStages(wish: StageWish | null): readonly (ProjectPreview | null)[] {
  const source = useSource();
  const transforms = useValueAt(['data', 'transforms']);
  const split = useValueAt(['data', 'split']);
  const [state, setState] = useState<readonly (ProjectPreview | null)[]>([]);
  const seed = useTrainingSeed(wish !== null && wish.epoch !== null);
  const asked = JSON.stringify([source?.key, transforms, split, wish, seed]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for all that is read
  useEffect(() => {
    if (wish === null || source === null || !Array.isArray(transforms)) return setState([]);
    const end = new AbortController();
    const { part, index, epoch, side } = wish;
    const { file, source: chosen } = source;
    const after = (count: number) =>
      engine.data
        .preview(
          {
            file,
            source: chosen,
            split,
            transforms: transforms.slice(0, count),
            part,
            start: index,
            count: 1,
            thumbs: side,
            ...(epoch === null ? {} : { epoch, seed }),
          },
          { signal: end.signal },
        )
        // One that cannot be applied is told beside the samples.
        .then((preview) => (preview.transformError === null ? preview : null))
        .catch(() => null);
    const read = async () => {
      const all: (ProjectPreview | null)[] = [];
      const count = Math.min(transforms.length, mostStages);
      while (all.length < count && !end.signal.aborted) {
        const next = Array.from({ length: Math.min(atOnce, count - all.length) }, (_, at) =>
          after(all.length + at + 1),
        );
        all.push(...(await Promise.all(next)));
      }
      if (!end.signal.aborted) setState(all);
    };
    const due = setTimeout(() => void read(), restMs);
    return () => {
      clearTimeout(due);
      end.abort();
    };
  }, [asked]);
  return state;
}
