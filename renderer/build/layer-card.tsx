/** A layer in the stack: its card in its category's colour, what is wrong with it, its costs, and the tensor that leaves it. */
import {
  IconChevronRight,
  IconCopy,
  IconDots,
  IconEye,
  IconEyeOff,
  IconGripVertical,
  IconNote,
  IconSnowflake,
  IconTrash,
} from '@tabler/icons-react';
import { type MouseEvent, memo, useCallback, useContext, useState } from 'react';
import type { Costs } from '../state/stack-costs.ts';
import type { LayerRow, Tensor } from '../state/stack-rows.ts';
import {
  askFor,
  duplicateSelected,
  fold,
  removeSelected,
  select,
  toggleSelected,
  useStackState,
} from '../state/stack-store.ts';
import { CostBars, count, IconButton, ShapeRibbon, useDragSource } from '../ui/index.ts';
import card from './card.module.css';
import { categoryOf, categoryStyle } from './categories.ts';
import { StackDensity } from './density.ts';
import { insideColors, insideWords } from './inside-words.ts';
import { LayerIcon } from './layer-icons.tsx';
import { ProblemNotes } from './problems.tsx';
import { shapeWords } from './shape-words.ts';
import styles from './stack.module.css';
import { StackScale } from './stack-scale.ts';
import { labelOf, nameOf, noteOf, summaryOf } from './words.ts';
import { worst } from './worst.ts';

const RowCosts = memo(function RowCosts({ costs }: { costs: Costs | null }) {
  const max = useContext(StackScale).costs;
  return (
    <div className={card.costs} aria-hidden>
      {costs && <CostBars parameters={costs.parameters} flops={costs.flops} memory={costs.memory} max={max} />}
    </div>
  );
});

export const rowElementId = (key: string) => `stack-row-${key}`;

export interface LayerCardProps {
  row: LayerRow;
  onMenu: (id: string, at: { x: number; y: number }) => void;
}

export const LayerCard = memo(function LayerCard({ row, onMenu }: LayerCardProps) {
  const selected = useStackState((state) => state.selected.has(row.key));
  const active = useStackState((state) => state.active === row.key);
  const [hovered, setHovered] = useState(false);
  // Every row is told when a drag begins and ends: what is drawn in it is not drawn anew for that.
  const { node, handle, listeners, description } = useDragSource(row.key);
  const menu = useCallback(
    (event: MouseEvent, at = { x: event.clientX, y: event.clientY }) => {
      // On the ribbon the place below the layer is meant.
      if ((event.target as HTMLElement).closest('[data-ribbon]')) return;
      event.preventDefault();
      if (!useStackState.getState().selected.has(row.key)) select(row.key);
      onMenu(row.key, at);
    },
    [row.key, onMenu],
  );
  const click = (event: MouseEvent) => {
    event.stopPropagation();
    if ((event.target as HTMLElement).closest('button')) return;
    select(row.key, { range: event.shiftKey, toggle: event.ctrlKey || event.metaKey });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys
    <div
      ref={node}
      id={rowElementId(row.key)}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={selected}
      aria-expanded={row.folded === null ? undefined : !row.folded}
      tabIndex={active ? 0 : -1}
      className={styles.row}
      data-row
      data-key={row.key}
      data-dimmed={row.dimmed || undefined}
      style={{ '--depth': row.depth } as React.CSSProperties}
      onClick={click}
      onContextMenu={menu}
      onDoubleClick={(event) => {
        if ((event.target as HTMLElement).closest('button')) return;
        if (row.folded === null) askFor('first');
        else fold(row.key, !row.folded);
      }}
      onPointerDown={listeners.onPointerDown}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      <Content row={row} selected={selected} tools={hovered} onMenu={menu} />
      <button
        type="button"
        ref={handle}
        className={card.grip}
        aria-label={`Move ${row.kind}`}
        aria-describedby={description}
        tabIndex={active ? 0 : -1}
        onKeyDown={listeners.onKeyDown}
      >
        <IconGripVertical size={14} aria-hidden />
      </button>
    </div>
  );
});

interface ContentProps {
  row: LayerRow;
  selected: boolean;
  tools: boolean;
  onMenu: (event: MouseEvent, at?: { x: number; y: number }) => void;
}

const Content = memo(function Content({ row, selected, tools, onMenu }: ContentProps) {
  const compact = useContext(StackDensity) === 'compact';
  return (
    <>
      <Spines depth={row.depth} />
      <div
        className={card.card}
        style={categoryStyle(categoryOf(row.kind))}
        data-selected={selected || undefined}
        data-problem={worst(row.problems) ?? undefined}
      >
        <span className={card.icon}>
          <LayerIcon kind={row.kind} />
        </span>
        <div className={card.lines}>
          <Title row={row} />
          {row.holds.length > 0 && <Inside row={row} />}
        </div>
        {row.folded !== null && (
          <button
            type="button"
            className={card.foldButton}
            aria-label={row.folded ? `Unfold ${row.kind}` : `Fold ${row.kind}`}
            tabIndex={-1}
            onClick={() => fold(row.key, !row.folded)}
          >
            <IconChevronRight size={14} data-open={!row.folded || undefined} aria-hidden />
          </button>
        )}
        <span className={card.tools}>
          {noteOf(row.layer) !== '' && (
            <span className={card.frozen} title={noteOf(row.layer)}>
              <IconNote size={14} aria-label={`Note: ${noteOf(row.layer)}`} role="img" />
            </span>
          )}
          {row.disabled && <span className={card.badge}>disabled</span>}
          {row.frozen && (
            <span className={card.frozen} title="Frozen: its weights stay as they are">
              <IconSnowflake size={14} aria-label="frozen" role="img" />
            </span>
          )}
          {compact && row.folded !== false && !row.dimmed && <Shape tensor={row.output} />}
          {row.number !== null && (
            <span className={card.number} title={`Layer ${row.number} in messages and weights files`}>
              <span className="visually-hidden">layer </span>
              {row.number.split('.').at(-1)}
            </span>
          )}
          {tools && <Tools row={row} onMenu={onMenu} />}
        </span>
      </div>
      <RowCosts costs={row.folded === false || row.dimmed ? null : row.costs} />
      <ProblemNotes problems={row.problems} />
      <Ribbon tensor={row.folded === false ? row.input : row.output} />
    </>
  );
});

/** Drawn for the row at hand only: two hundred rows of tooltips would be felt. */
function Tools({ row, onMenu }: Pick<ContentProps, 'row' | 'onMenu'>) {
  return (
    <span className={card.hoverTools}>
      <IconButton label="Duplicate" keys="Mod+D" icon={IconCopy} size={24} onClick={() => duplicateSelected(row.key)} />
      <IconButton
        label={row.disabled ? 'Enable' : 'Disable'}
        keys="Space"
        icon={row.disabled ? IconEye : IconEyeOff}
        size={24}
        onClick={() => toggleSelected(row.key)}
      />
      <IconButton label="Delete" keys="Delete" icon={IconTrash} size={24} onClick={() => removeSelected(row.key)} />
      <IconButton
        label="More"
        icon={IconDots}
        size={24}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          onMenu(event, { x: box.left, y: box.bottom });
        }}
      />
    </span>
  );
}

function Title({ row }: { row: LayerRow }) {
  const name = nameOf(row.layer);
  const label = name === '' ? labelOf(row.kind) : name;
  const summary = summaryOf(row.layer);
  const shared = row.uses > 1 ? `used ${row.uses}×` : '';
  const elsewhere = row.elsewhere ? 'layers shown at its first use' : '';
  const rest = [summary, shared, elsewhere].filter((part) => part !== '').join(' · ');
  return (
    <span className={card.title}>
      <span className={card.label}>{label}</span>
      {label !== row.kind && <code className={card.kind}> {row.kind}</code>}
      {rest !== '' && <span className={card.summary}> {rest}</span>}
    </span>
  );
}

/** More would be a smear. */
const mostStripes = 24;

/** What a block that does not show its layers holds: as colours, in words, and what becomes of the tensor there. */
function Inside({ row }: { row: LayerRow }) {
  const words = insideWords(row.holds);
  const compact = useContext(StackDensity) === 'compact';
  return (
    <span className={card.inside}>
      <span className={card.stripes} aria-hidden>
        {insideColors(row.holds, mostStripes).map((category, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stripe has nothing but its place
          <span key={index} style={categoryStyle(category)} />
        ))}
      </span>
      <span className={card.holds} title={words}>
        {words}
      </span>
      {row.costs && row.costs.parameters > 0 && (
        <span className={card.fact}> {count(row.costs.parameters)} parameters</span>
      )}
      {!compact && row.input && row.output && (
        <span className={`${card.fact} ${card.change}`}>
          {' '}
          {shapeWords(row.input)} → {shapeWords(row.output)}
        </span>
      )}
    </span>
  );
}

/** A tensor's shape where its ribbon has no room for it. */
export function Shape({ tensor }: { tensor: Tensor | null }) {
  return (
    <span className={card.shape}>
      <span className="visually-hidden">tensor </span>
      {shapeWords(tensor)}
    </span>
  );
}

/** The coloured lines at the left that say in which blocks a row is. */
export function Spines({ depth }: { depth: number }) {
  return Array.from({ length: depth }, (_, level) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing but its level
    <span key={level} className={styles.spine} style={{ '--level': level } as React.CSSProperties} aria-hidden />
  ));
}

export const Ribbon = memo(function Ribbon({ tensor }: { tensor: Tensor | null }) {
  const { largest } = useContext(StackScale);
  const compact = useContext(StackDensity) === 'compact';
  return (
    <div className={card.ribbon} data-ribbon aria-hidden={compact || undefined}>
      <span className="visually-hidden">{tensor === null ? 'shape unknown' : 'tensor'}</span>
      <ShapeRibbon
        dims={tensor?.dims ?? null}
        indices={tensor?.dtype === 'int64'}
        padded={tensor?.padded === true}
        scale={largest}
        height={compact ? 4 : 18}
        bare={compact}
      />
    </div>
  );
});
