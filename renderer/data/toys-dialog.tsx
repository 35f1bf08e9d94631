/** Data drawn from a formula, to try a network on: each kind with its picture. */
import { useState } from 'react';
import { fieldInfo } from '../../engine/contract/fields.ts';
import { sourceKinds } from '../../engine/contract/sources.ts';
import { takeSource } from '../state/data-bringing.ts';
import { projectForData } from '../state/projects.ts';
import { Button, capital, Dialog, goOnAt } from '../ui/index.ts';
import classes from './start.module.css';
import { ToyPicture } from './toy-picture.tsx';

/** The kind that is chosen by its pictures. */
const row = sourceKinds.find(({ pictured }) => pictured !== undefined);

export function ToysDialog({ onClose }: { onClose: () => void }) {
  const schema = row?.pictured === undefined ? undefined : row.params[row.pictured];
  const toys = (schema ? (fieldInfo(schema).choices ?? []) : []).map(String);
  const [chosen, setChosen] = useState(toys[0]);
  const take = async () => {
    if (chosen === undefined || !row?.pictured) return;
    if ((await projectForData(chosen)) === null) return;
    if (!takeSource({ kind: row.kind, [row.pictured]: chosen })) return;
    onClose();
    goOnAt('[aria-label="Part shown"] input:checked');
  };
  return (
    <Dialog
      title="Draw toy data"
      size={560}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button primary disabled={chosen === undefined} onClick={() => void take()}>
            Use these samples
          </Button>
        </>
      }
    >
      <div className={classes.toys}>
        {toys.map((toy) => (
          <button
            key={toy}
            type="button"
            className={classes.toy}
            aria-pressed={toy === chosen}
            onClick={() => setChosen(toy)}
            onDoubleClick={() => void take()}
          >
            <ToyPicture toy={toy} />
            {capital(toy.replaceAll('_', ' '))}
          </button>
        ))}
      </div>
      <p className={classes.quiet}>{row?.help} How many, how noisy and the seed are set on the page.</p>
    </Dialog>
  );
}
