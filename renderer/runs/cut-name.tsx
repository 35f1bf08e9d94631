/** A run's name in little room: its number stays, what is before it is cut. */
import styles from './runs.module.css';

export function CutName({ name }: { name: string }) {
  const [, head = name, number = ''] = /^(.+)(-\d+)$/.exec(name) ?? [];
  return (
    <span className={styles.cutName}>
      {/* Whole: two boxes would be read as two words. */}
      <span className="visually-hidden">{name}</span>
      <span className={styles.cutHead} aria-hidden>
        {head}
      </span>
      {number !== '' && <span aria-hidden>{number}</span>}
    </span>
  );
}
