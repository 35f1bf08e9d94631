/** Asks how a new empty project shall be called: its file and its runs are named after it. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { nameField } from '../../engine/contract/settings.ts';
import { createProject, stopNaming, useProjects } from '../state/projects.ts';
import { tellError } from '../state/session.ts';
import { Button, Dialog, goOnAt, TextField } from '../ui/index.ts';

export function NewProject() {
  const naming = useProjects((state) => state.naming);
  return naming ? <NameDialog /> : null;
}

const proposed = 'untitled';

function NameDialog() {
  const [, navigate] = useLocation();
  const [name, setName] = useState(proposed);
  const [busy, setBusy] = useState(false);
  const fits = nameField.safeParse(name.trim()).success;
  const create = async () => {
    if (!fits || busy) return;
    setBusy(true);
    try {
      if (await createProject(null, { name: name.trim() })) {
        navigate('/build');
        goOnAt('[data-begin] button');
      }
      stopNaming();
    } catch (thrown) {
      setBusy(false);
      tellError(thrown);
    }
  };
  return (
    <Dialog
      onClose={stopNaming}
      title="New empty project"
      size={420}
      actions={
        <>
          <Button onClick={stopNaming}>Cancel</Button>
          <Button primary loading={busy} disabled={!fits} onClick={() => void create()}>
            Create project
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        autoFocus
        selectOnFocus
        hint="Its file and its runs are named after it."
        error={fits ? null : 'Up to 100 characters fit for a folder: no / \\ : * ? " < > |, no dot at its ends'}
        onChange={setName}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void create();
        }}
      />
    </Dialog>
  );
}
