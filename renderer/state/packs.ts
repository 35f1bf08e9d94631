/** Packed data in the cache: what there is, and taking it away. */
import { useCallback, useEffect, useState } from 'react';
import type { CachedPack } from '../../engine/contract/data/recipes.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { bytes } from '../../engine/contract/format.ts';
import { engine } from '../client/client.ts';
import { infoOf, tell, tellError } from './session.ts';

export interface Packs {
  /** null: not told yet. */
  packs: CachedPack[] | null;
  error: ErrorInfo | null;
  remove(keys: readonly string[]): Promise<void>;
}

export function usePacks(): Packs {
  const [state, setState] = useState<Omit<Packs, 'remove'>>({ packs: null, error: null });
  const read = useCallback(
    () =>
      engine.data.cache.list().then(
        (packs) => setState({ packs, error: null }),
        (thrown) => setState({ packs: null, error: infoOf(thrown) }),
      ),
    [],
  );
  useEffect(() => void read(), [read]);
  const remove = useCallback(
    async (keys: readonly string[]) => {
      try {
        const freed = await engine.data.cache.remove({ keys: [...keys] });
        tell({
          tone: 'info',
          message: `${bytes(freed.bytes)} were freed`,
          hint: 'Data are packed again when they are needed.',
        });
      } catch (thrown) {
        tellError(thrown);
      }
      await read();
    },
    [read],
  );
  return { ...state, remove };
}
