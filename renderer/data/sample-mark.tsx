/** What a person marks on a sample: its right class, that it takes no part, a note. */
import { useEffect, useId, useState } from 'react';
import { markOf, useMarks } from '../state/data-marks.ts';
import { Button, Choice, SwitchField, TextField } from '../ui/index.ts';
import classes from './inspector.module.css';
import { leaveOut, type Markable, mark, relabel } from './mark-keys.ts';
import { captionOf, markName } from './sample-words.ts';

export function SampleMark({ at }: { at: Markable }) {
  const { part, sample, target } = at;
  const id = useId();
  const name = markName(sample);
  const marks = useMarks();
  const found = markOf(marks, part, name);
  const own = captionOf(sample, target);
  const readable = marks.key !== null;
  const [note, setNote] = useState(found?.note ?? '');
  useEffect(() => setNote(found?.note ?? ''), [found?.note]);
  const keepNote = () => {
    const said = note.trim();
    if (said !== (found?.note ?? ''))
      void mark(at, { note: said }, said === '' ? 'The note is gone' : 'The note is kept');
  };
  return (
    <div className={classes.mark} data-marked={found !== null || undefined}>
      {target.kind === 'class' && (
        <div className={classes.row}>
          <label htmlFor={`${id}-class`}>Right class</label>
          <Choice
            id={`${id}-class`}
            label="Right class"
            width={168}
            disabled={!readable}
            value={found?.label ?? own}
            options={target.classes.map((label) => ({
              value: label,
              label,
              hint: label === own ? 'as it is' : undefined,
            }))}
            onChange={(label) => void relabel(at, label)}
          />
        </div>
      )}
      <div className={classes.row}>
        <label htmlFor={`${id}-out`}>Leave out</label>
        <SwitchField
          id={`${id}-out`}
          label="Leave out"
          checked={found?.exclude === true}
          disabled={!readable}
          describe="It is neither trained on nor validated with."
          onChange={() => void leaveOut(at)}
        />
      </div>
      <div className={classes.row}>
        <label htmlFor={`${id}-note`}>Note</label>
        <TextField
          id={`${id}-note`}
          label="Note"
          hiddenLabel
          width={168}
          value={note}
          placeholder="What is odd about it"
          disabled={!readable}
          onChange={setNote}
          onBlur={keepNote}
          onKeyDown={(event) => {
            if (event.key === 'Enter') keepNote();
            else if (event.key === 'Escape') setNote(found?.note ?? '');
          }}
        />
      </div>
      {found && (
        <div className={classes.foot}>
          <span className={classes.quiet}>Marks lie beside the data, and every run heeds them.</span>
          <Button
            size="xs"
            subtle
            onClick={() =>
              void mark(at, { exclude: undefined, label: undefined, note: undefined }, `${name} is marked no more`)
            }
          >
            Remove the mark
          </Button>
        </div>
      )}
    </div>
  );
}
