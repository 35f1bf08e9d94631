/** The rows that make a block: heads of its branches, places of empty lists, its foot, and blocks that nothing uses. */
import { IconCornerDownRight, IconPlus, IconX } from '@tabler/icons-react';
import { memo, type ReactNode, useContext } from 'react';
import { edit } from '../state/project.ts';
import type { BlockRow, EmptyRow, EndRow, LaneRow } from '../state/stack-rows.ts';
import { select, useStackState } from '../state/stack-store.ts';
import { addBranchTo, removeLane } from '../state/stack-structure.ts';
import { IconButton, Kbd } from '../ui/index.ts';
import { StackDensity } from './density.ts';
import { Ribbon, rowElementId, Shape, Spines } from './layer-card.tsx';
import styles from './stack.module.css';
import { endWords } from './words.ts';

const depthStyle = (depth: number) => ({ '--depth': depth }) as React.CSSProperties;

/** A row that the keyboard passes by: it goes to layers and empty places. */
function StructureRow({ row, className, children }: { row: LaneRow | EndRow; className: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      className={className}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={false}
      data-row
      data-dimmed={row.dimmed || undefined}
      style={depthStyle(row.depth)}
    >
      <Spines depth={row.depth} />
      {children}
    </div>
  );
}

export const LaneHead = memo(function LaneHead({ row }: { row: LaneRow }) {
  const label = row.lane === 'branch' ? `Branch ${row.index}` : row.lane === 'shortcut' ? 'Shortcut' : 'Layers';
  return (
    <StructureRow row={row} className={styles.lane ?? ''}>
      <span className={styles.laneLabel}>{label}</span>
      {row.removable && (
        <IconButton
          label={`Remove ${label.toLowerCase()}`}
          icon={IconX}
          size={20}
          onClick={() => removeLane(row.list)}
        />
      )}
    </StructureRow>
  );
});

export const EmptyPlace = memo(function EmptyPlace({ row, level }: { row: EmptyRow; level: number }) {
  const active = useStackState((state) => state.active === row.key);
  const words =
    row.lane === 'branch'
      ? 'This branch hands its input on'
      : row.lane === 'shortcut'
        ? 'Adds the input itself'
        : 'Empty';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys
    <div
      id={rowElementId(row.key)}
      role="treeitem"
      aria-selected={false}
      aria-level={level}
      tabIndex={active ? 0 : -1}
      className={styles.row}
      data-row
      data-key={row.key}
      data-dimmed={row.dimmed || undefined}
      style={depthStyle(row.depth)}
      onClick={(event) => {
        event.stopPropagation();
        select(row.key);
      }}
    >
      <Spines depth={row.depth} />
      <div className={styles.empty} data-active={active || undefined}>
        <span>
          {words}. Drop a layer here, or press <Kbd keys="/" />
        </span>
      </div>
    </div>
  );
});

export const BlockEnd = memo(function BlockEnd({ row }: { row: EndRow }) {
  const compact = useContext(StackDensity) === 'compact';
  // Nothing comes out of a block that nothing uses.
  const used = !row.owner.startsWith('block ');
  return (
    <StructureRow row={row} className={styles.row ?? ''}>
      <div className={styles.end}>
        <IconCornerDownRight size={14} aria-hidden />
        <span className={styles.endWords} title={endWords(row.layer)}>
          {endWords(row.layer)}
        </span>
        {row.layer.kind === 'Parallel' && (
          <IconButton label="Add a branch" icon={IconPlus} size={20} onClick={() => addBranchTo(row.owner)} />
        )}
        {compact && used && !row.dimmed && <Shape tensor={row.output} />}
      </div>
      {used && <Ribbon tensor={row.output} />}
    </StructureRow>
  );
});

export const UnusedBlock = memo(function UnusedBlock({ row }: { row: BlockRow }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the keyboard goes to layers and empty places
    <div className={styles.unused} role="treeitem" aria-level={1} aria-selected={false} data-row>
      <span className={styles.laneLabel}>Block “{row.name}”, not used</span>
      <IconButton
        label={`Remove block ${row.name}`}
        icon={IconX}
        size={20}
        onClick={() => edit([{ op: 'remove', path: [...row.path] }])}
      />
    </div>
  );
});
