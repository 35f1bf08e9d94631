/** The inspector: of the selected layer, of several, or of the network where none is selected; or a look inside it. */
import { type RefObject, useEffect } from 'react';
import { useStack, useStackState } from '../state/stack-store.ts';
import { Tabs } from '../ui/index.ts';
import { LayerInspector } from './inspect-layer.tsx';
import { ManyInspector } from './inspect-many.tsx';
import { ModelInspector } from './inspect-model.tsx';
import styles from './inspector.module.css';
import { useLookAddress } from './look-address.ts';
import { LookPanel } from './look-panel.tsx';

export interface InspectorProps {
  /** Is given what takes the inspector to the settings; that answers whether it was elsewhere. */
  settings: RefObject<(() => boolean) | null>;
}

export function Inspector({ settings }: InspectorProps) {
  const { at, show, look } = useLookAddress();
  useEffect(() => {
    settings.current = () => {
      if (at) show(false);
      return at !== null;
    };
  }, [settings, at, show]);
  return (
    <aside className={styles.inspector} aria-label="Inspector">
      <Tabs
        label="Inspector"
        value={at ? 'look' : 'settings'}
        tabs={[
          { value: 'settings', label: 'Settings', panel: <Settings /> },
          { value: 'look', label: 'Look inside', panel: at && <LookPanel at={at} onLook={look} /> },
        ]}
        onChange={(tab) => show(tab === 'look')}
      />
    </aside>
  );
}

function Settings() {
  const { rows } = useStack();
  const selected = useStackState((state) => state.selected);
  const chosen = rows.filter((row) => row.type === 'layer').filter((row) => selected.has(row.key));
  const only = chosen.length === 1 ? chosen[0] : undefined;
  if (only) return <LayerInspector key={only.key} row={only} />;
  return chosen.length > 1 ? <ManyInspector rows={chosen} /> : <ModelInspector />;
}
