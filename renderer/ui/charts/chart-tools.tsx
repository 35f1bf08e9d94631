/** What stands at the right of a line chart's head: what the plot hides, and buttons to see all and to see a table. */
import { IconTable, IconZoomReset } from '@tabler/icons-react';
import { memo } from 'react';
import { IconButton } from '../basics/buttons.tsx';
import classes from './chart.module.css';

export interface ChartToolsProps {
  /** Values that a logarithmic axis has no place for. */
  hidden: number;
  /** Values that are not finite. */
  gaps: number;
  zoomed: boolean;
  onShowAll: () => void;
  /** null: there is no table to show. */
  tabled: boolean | null;
  onTable: () => void;
}

export const ChartTools = memo(function ChartTools(props: ChartToolsProps) {
  const { hidden, gaps, zoomed, onShowAll, tabled, onTable } = props;
  return (
    <>
      {hidden > 0 && (
        <span className={classes.remark} title="A logarithmic axis has no place for them; arrows mark where they are.">
          {hidden.toLocaleString('en-US')} ≤ 0 hidden
        </span>
      )}
      {gaps > 0 && (
        <span className={classes.remark} title="Crosses mark where values are not finite.">
          {gaps.toLocaleString('en-US')} not finite
        </span>
      )}
      {zoomed && <IconButton label="Show all (double click)" icon={IconZoomReset} size={24} onClick={onShowAll} />}
      {tabled !== null && (
        <IconButton label="Show as table" icon={IconTable} size={24} active={tabled} onClick={onTable} />
      )}
    </>
  );
});
