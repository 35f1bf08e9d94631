/** The inspector: of the selected layer, of several, or of the network where none is selected. */
import { useStack, useStackState } from '../state/stack-store.ts';
import { LayerInspector } from './inspect-layer.tsx';
import { ManyInspector } from './inspect-many.tsx';
import { ModelInspector } from './inspect-model.tsx';
import styles from './inspector.module.css';

export function Inspector() {
  const { rows } = useStack();
  const selected = useStackState((state) => state.selected);
  const chosen = rows.filter((row) => row.type === 'layer').filter((row) => selected.has(row.key));
  const only = chosen.length === 1 ? chosen[0] : undefined;
  return (
    <aside className={styles.inspector} aria-label="Inspector">
      {only ? (
        <LayerInspector key={only.key} row={only} />
      ) : chosen.length > 1 ? (
        <ManyInspector rows={chosen} />
      ) : (
        <ModelInspector />
      )}
    </aside>
  );
}
