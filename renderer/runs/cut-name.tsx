/** A run's name in little room: its number stays, what is before it is cut. */
import styles from './runs.module.css';

export function CutName({ name }: { name: string }) {
  const [, head = name, number = ''] = /^(.+)(-\d+)$/.exec(name) ?? [];
  return (
    <span className={styles.cutName}>
      <span className={styles.cutHead}>{head}</span>
      {number !== '' && <span>{number}</span>}
    </span>
  );
}
