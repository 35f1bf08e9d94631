/** Grey blocks that hold the place of what is being read, so that nothing jumps when it comes. */
import classes from './skeleton.module.css';

export interface SkeletonProps {
  /** Lines of text, rows of a table, or one block. */
  kind?: 'text' | 'rows' | 'block';
  lines?: number;
  height?: number;
  width?: number | string;
}

const widths = ['92%', '78%', '86%', '64%'];

export function Skeleton({ kind = 'block', lines = 3, height = 120, width = '100%' }: SkeletonProps) {
  if (kind === 'block') return <div className={classes.bone} style={{ height, width }} aria-hidden />;
  return (
    <div className={kind === 'rows' ? classes.rows : classes.text} style={{ width }} aria-hidden>
      {Array.from({ length: lines }, (_, line) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a placeholder have nothing but their place
          key={line}
          className={classes.bone}
          style={{ width: kind === 'rows' ? '100%' : (widths[line % widths.length] as string) }}
        />
      ))}
    </div>
  );
}
