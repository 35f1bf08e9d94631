/** What a part of the network costs, or is, in numbers: a name, the number, and a few quieter words. */
import type { ReactNode } from 'react';
import { Num } from '../ui/index.ts';
import styles from './figures.module.css';

export interface Figure {
  name: string;
  value: ReactNode;
  note?: string;
  mono?: boolean;
  /** Under the number: where it comes from. */
  below?: ReactNode;
}

export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ name, value, note, mono = false, below }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Num mono={mono}>{value}</Num>
            {note !== undefined && <span className={styles.note}>{note}</span>}
            {below}
          </dd>
        </div>
      ))}
    </dl>
  );
}
