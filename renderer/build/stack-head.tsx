/** The stack's head: how large the network is, how it is shown, and what the bars at the right mean. */
import {
  IconAdjustmentsHorizontal,
  IconBaselineDensityMedium,
  IconBaselineDensitySmall,
  IconCode,
  IconFold,
  IconFoldDown,
  IconLayoutSidebar,
  IconLayoutSidebarRight,
} from '@tabler/icons-react';
import { memo } from 'react';
import { MemoryLine } from '../project-parts/memory-fit.tsx';
import { toggleCode, useCodePanel } from '../state/code-panel.ts';
import { type Drawer, openDrawer, useDrawers } from '../state/drawers.ts';
import { openFitting } from '../state/fitting.ts';
import { usePlan } from '../state/project.ts';
import type { StackView } from '../state/stack-rows.ts';
import { clearSelection, foldAll } from '../state/stack-store.ts';
import { IconButton, leastSides, Menu, useRoom } from '../ui/index.ts';
import type { Density } from './density.ts';
import { sizeWords, unknownUntil } from './network-size.ts';
import styles from './stack.module.css';

const costWords = [
  { label: 'Parameters', color: 'var(--series-0)' },
  { label: 'Operations', color: 'var(--series-4)' },
  { label: 'Memory', color: 'var(--series-2)' },
];

export interface StackHeadProps {
  view: StackView;
  density: Density;
  onDensity: (density: Density) => void;
}

export function StackHead({ view, density, onDensity }: StackHeadProps) {
  const plan = usePlan();
  const layers = view.rows.some((row) => row.type === 'layer');
  const size = layers && plan ? sizeWords(view, plan) : undefined;
  const blocks = view.rows.some((row) => row.type === 'layer' && row.folded !== null);
  return (
    <header className={styles.headArea}>
      <div className={styles.head} data-empty={!layers || undefined}>
        <span className={styles.headTitle}>
          <DrawerButton drawer="palette" />
          <h1 className={styles.heading}>Layers</h1>
        </span>
        <span className={styles.headHint} title={size}>
          {size}
        </span>
        <HeadTools layers={layers} blocks={blocks} density={density} onDensity={onDensity} />
        <div className={styles.headMemory}>
          {layers && <MemoryLine unknown={plan && unknownUntil(plan)} onMore={showNetwork} />}
        </div>
        {layers && (
          <ul className={styles.legend} aria-label="Bars at the right">
            {costWords.map(({ label, color }) => (
              <li key={label}>
                <span style={{ background: color }} aria-hidden />
                {label}
              </li>
            ))}
          </ul>
        )}
      </div>
    </header>
  );
}

interface HeadToolsProps extends Omit<StackHeadProps, 'view'> {
  layers: boolean;
  blocks: boolean;
}

/** Nothing in it changes with a number that is typed: it is not drawn anew for that. */
const HeadTools = memo(function HeadTools({ layers, blocks, density, onDensity }: HeadToolsProps) {
  const compact = density === 'compact';
  const code = useCodePanel(({ open }) => open);
  return (
    <span className={styles.headTools}>
      <Menu
        label="Network"
        align="end"
        width={280}
        trigger={<IconButton label="Fit or replace the network" icon={IconAdjustmentsHorizontal} />}
        items={[
          { label: 'Fit the network to its data…', onClick: () => openFitting('fit') },
          { label: 'Replace the network by a template…', onClick: () => openFitting('replace') },
        ]}
      />
      <IconButton label="Network as code" keys="Mod+J" icon={IconCode} active={code} onClick={toggleCode} />
      {blocks && (
        <>
          <IconButton label="Fold all blocks" icon={IconFold} onClick={() => foldAll(true)} />
          <IconButton label="Unfold all blocks" icon={IconFoldDown} onClick={() => foldAll(false)} />
        </>
      )}
      {layers && (
        <IconButton
          label="Compact rows"
          icon={compact ? IconBaselineDensitySmall : IconBaselineDensityMedium}
          active={compact}
          onClick={() => onDensity(compact ? 'roomy' : 'compact')}
        />
      )}
      <DrawerButton drawer="inspector" />
    </span>
  );
});

/** The inspector tells of the network while no layer is selected. */
function showNetwork() {
  clearSelection();
  openDrawer('inspector');
}

const drawers = {
  palette: { label: 'Palette', keys: '/', icon: IconLayoutSidebar },
  inspector: { label: 'Inspector', keys: 'Enter', icon: IconLayoutSidebarRight },
};

/** Where the window has no room for the sides, they are a click away. */
function DrawerButton({ drawer }: { drawer: Drawer }) {
  const narrow = !useRoom(leastSides);
  const open = useDrawers((state) => state.open === drawer);
  return narrow && <IconButton {...drawers[drawer]} active={open} onClick={() => openDrawer(open ? null : drawer)} />;
}
