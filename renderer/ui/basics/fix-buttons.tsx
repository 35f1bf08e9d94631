/** A problem's fixes as buttons, the likeliest first; a long one is read in full. */
import type { Fix } from '../../../engine/contract/problems.ts';
import { Button } from './buttons.tsx';
import classes from './fix-buttons.module.css';

export interface FixButtonsProps {
  fixes: readonly Fix[];
  onFix: (fix: Fix) => void;
}

export function FixButtons({ fixes, onFix }: FixButtonsProps) {
  if (fixes.length === 0) return null;
  return (
    <div className={classes.fixes}>
      {fixes.map((fix) => (
        <Button key={fix.label} size="xs" onClick={() => onFix(fix)}>
          {fix.label}
        </Button>
      ))}
    </div>
  );
}
