/** Which named block a layer uses, and that block's name. */
import { useState } from 'react';
import { edit, useProject } from '../state/project.ts';
import { blockNames, renameBlock, setParam, usesOf } from '../state/stack.ts';
import type { LayerRow } from '../state/stack-rows.ts';
import { change } from '../state/stack-store.ts';
import { Choice, plural, TextField } from '../ui/index.ts';
import styles from './inspector.module.css';

export function BlockName({ row }: { row: LayerRow }) {
  const { project } = useProject();
  const names = blockNames(project);
  const ref = typeof row.layer.ref === 'string' ? row.layer.ref : '';
  const known = names.includes(ref);
  return (
    <div className={styles.form}>
      <Choice
        label="Block"
        value={ref}
        options={[...names, ...(known || ref === '' ? [] : [ref])].map((name) => ({ value: name, label: name }))}
        onChange={(name) => change(row.key, 'ref', (now, path) => setParam(now, path, 'ref', name))}
      />
      {known && <Rename key={ref} name={ref} uses={usesOf(project, ref).length} />}
    </div>
  );
}

/** The name changes when the field is left or Enter is pressed: half a name is none. */
function Rename({ name, uses }: { name: string; uses: number }) {
  const { project } = useProject();
  const [text, setText] = useState(name);
  const edits = renameBlock(project, name, text.trim());
  const commit = () => {
    if (edits && edits.length > 0) edit(edits);
    else if (!edits) setText(name);
  };
  return (
    <TextField
      label="Name of the block"
      value={text}
      hint={`In ${plural(uses, 'use')}: what is changed inside changes in all.`}
      error={edits ? null : text.trim() === '' ? 'A block needs a name' : 'Another block has this name'}
      onChange={setText}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
