/** Which named block a layer uses, and that block's name. */
import { useState } from 'react';
import { useProject } from '../state/project.ts';
import { blockNames, renameBlock, setParam, usesOf } from '../state/stack.ts';
import type { LayerRow } from '../state/stack-rows.ts';
import { change, focusStack, make } from '../state/stack-store.ts';
import { Choice, plural, TextField } from '../ui/index.ts';
import styles from './inspector.module.css';

export function BlockName({ row }: { row: LayerRow }) {
  const { project } = useProject();
  const names = blockNames(project);
  const ref = typeof row.layer.ref === 'string' ? row.layer.ref : '';
  const known = names.includes(ref);
  return (
    <div className={styles.form}>
      {known && <Rename name={ref} uses={usesOf(project, ref).length} />}
      {(!known || names.length > 1) && (
        <Choice
          label={known ? 'Use another block' : 'Block'}
          value={ref}
          options={[...names, ...(known || ref === '' ? [] : [ref])].map((name) => ({ value: name, label: name }))}
          onChange={(name) => change(row.key, 'ref', (now, path) => setParam(now, path, 'ref', name))}
        />
      )}
    </div>
  );
}

/** The name changes when the field is left or Enter is pressed: half a name is none. */
function Rename({ name, uses }: { name: string; uses: number }) {
  const { project } = useProject();
  const [draft, setDraft] = useState({ of: name, text: name });
  // Renamed elsewhere, or another block is used.
  const text = draft.of === name ? draft.text : name;
  const edits = renameBlock(project, name, text.trim());
  const commit = () => {
    // What is selected stays so, though the block's layers stand under another name.
    if (edits && edits.length > 0) make(edits);
    else if (text !== name) setDraft({ of: name, text: name });
  };
  return (
    <div data-inspect="block">
      <TextField
        label="Block"
        value={text}
        hint={`In ${plural(uses, 'use')}: what is changed inside changes in all.`}
        error={edits ? null : text.trim() === '' ? 'A block needs a name' : 'Another block has this name'}
        onChange={(next) => setDraft({ of: name, text: next })}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          commit();
          if (edits) focusStack();
        }}
      />
    </div>
  );
}
