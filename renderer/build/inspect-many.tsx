/** Several layers: what they are together, and what can be done with all of them. */
import {
  IconArrowsJoin,
  IconArrowsSplit2,
  IconBox,
  IconCopy,
  IconEye,
  IconEyeOff,
  IconRepeat,
  IconTrash,
} from '@tabler/icons-react';
import type { LayerRow } from '../state/stack-rows.ts';
import { selectedPaths } from '../state/stack-select.ts';
import { duplicateSelected, removeSelected, toggleSelected, useStack } from '../state/stack-store.ts';
import { makeBlockOfSelected, wrapSelected } from '../state/stack-structure.ts';
import { Button, flops, integer, plural, Section } from '../ui/index.ts';
import { Figures } from './figures.tsx';
import styles from './inspector.module.css';
import { LayerIcon } from './layer-icons.tsx';
import { TrainSection } from './train-section.tsx';

export function ManyInspector({ rows }: { rows: readonly LayerRow[] }) {
  // What is inside another selected one is counted with it.
  const { rows: all } = useStack();
  const outer = new Set(selectedPaths(all, new Set(rows.map(({ key }) => key))).map((path) => path.join('.')));
  const tops = rows.filter(({ path }) => outer.has(path.join('.')));
  const sum = (key: 'parameters' | 'flops') => tops.reduce((total, { costs }) => total + (costs?.[key] ?? 0), 0);
  const kinds = new Map<string, number>();
  for (const { kind } of rows) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const allDisabled = rows.every(({ disabled }) => disabled);
  return (
    <div className={styles.body}>
      <header className={styles.head}>
        <div className={styles.titles}>
          <h2 className={styles.title}>{plural(rows.length, 'layer')} selected</h2>
        </div>
      </header>
      <ul className={styles.kinds}>
        {[...kinds].map(([kind, count]) => (
          <li key={kind}>
            <LayerIcon kind={kind} /> {kind} <span className={styles.quiet}>{count > 1 ? `× ${count}` : ''}</span>
          </li>
        ))}
      </ul>
      <Figures
        figures={[
          { name: 'Parameters', value: integer(sum('parameters')) },
          { name: 'Operations', value: flops(sum('flops')), note: 'a sample' },
        ]}
      />
      <TrainSection rows={rows} />
      <Section title="Wrap in">
        <div className={styles.buttons}>
          <Button icon={IconArrowsJoin} onClick={() => wrapSelected('Residual')}>
            Residual
          </Button>
          <Button icon={IconArrowsSplit2} onClick={() => wrapSelected('Parallel')}>
            Parallel
          </Button>
          <Button icon={IconRepeat} onClick={() => wrapSelected('Repeat')}>
            Repeat
          </Button>
          <Button icon={IconBox} onClick={() => makeBlockOfSelected()}>
            Named block
          </Button>
        </div>
      </Section>
      <Section title="All of them">
        <div className={styles.buttons}>
          <Button icon={IconCopy} onClick={() => duplicateSelected()}>
            Duplicate
          </Button>
          <Button icon={allDisabled ? IconEye : IconEyeOff} onClick={() => toggleSelected()}>
            {allDisabled ? 'Enable' : 'Disable'}
          </Button>
          <Button icon={IconTrash} danger onClick={() => removeSelected()}>
            Delete
          </Button>
        </div>
      </Section>
    </div>
  );
}
