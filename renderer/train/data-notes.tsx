/** What is worth knowing of the data before a run: what the import left out, and a test part that picks the best checkpoint. */
import { useLocation } from 'wouter';
import type { ResolvedProject } from '../../engine/contract/project-types.ts';
import { chosenByTest } from '../../engine/contract/splits.ts';
import { useImportState } from '../state/data-import.ts';
import { Button, plural } from '../ui/index.ts';
import classes from './train.module.css';

export function DataNotes({ project }: { project: ResolvedProject }) {
  const [, navigate] = useLocation();
  const left = useImportState(0)?.left_out;
  const chooses = chosenByTest(project);
  return (
    <>
      {left && left.count > 0 && (
        <p className={classes.note}>
          {`${plural(left.count, 'sample')} could not be read and ${left.count === 1 ? 'is' : 'are'} left out. `}
          <Button size="xs" subtle onClick={() => navigate('/data')}>
            Show in Data
          </Button>
        </p>
      )}
      {chooses !== null && <p className={classes.note}>{`${chooses}.`}</p>}
    </>
  );
}
