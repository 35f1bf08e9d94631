/** What a kind of the palette is, beside it while the pointer rests on it. */
import { useLayoutEffect, useRef } from 'react';
import { layerTable } from '../../engine/contract/layers/index.ts';
import { Portal } from '../ui/index.ts';
import { categoryStyle } from './categories.ts';
import type { Entry } from './entries.ts';
import { LayerIcon } from './layer-icons.tsx';
import styles from './palette.module.css';

export interface HelpAt {
  entry: Entry;
  element: HTMLElement;
}

/** For the eyes: who listens hears the help with the option. */
export function PaletteHelp({ entry, element, unfit }: HelpAt & { unfit: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = box.current;
    const palette = element.closest('section');
    if (!shown || !palette) return;
    const top = Math.min(element.getBoundingClientRect().top, window.innerHeight - shown.offsetHeight - 8);
    shown.style.left = `${palette.getBoundingClientRect().right + 6}px`;
    shown.style.top = `${Math.max(8, top)}px`;
  });
  const row = layerTable.get(entry.kind);
  return (
    <Portal>
      <div ref={box} className={styles.help} style={categoryStyle(entry.category)} aria-hidden>
        <p className={styles.helpTitle}>
          <LayerIcon kind={entry.kind} />
          <strong>{entry.block ?? entry.label}</strong>
          {entry.label !== entry.kind && <code>{entry.kind}</code>}
        </p>
        <p>{entry.help}</p>
        {row && row.category !== 'block' && <p className={styles.helpFormula}>{row.formula}</p>}
        {unfit && <p className={styles.helpUnfit}>It does not take what comes in here.</p>}
      </div>
    </Portal>
  );
}
