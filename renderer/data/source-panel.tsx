/** Where the data comes from, what it says of itself, and what is wrong with reading it. */
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import type { SourceKind } from '../../engine/contract/sources.ts';
import { sources } from '../../engine/contract/sources.ts';
import { type DataFacts, targetSentence } from '../../engine/contract/tensors.ts';
import { RowForm } from '../project-parts/row-form.tsx';
import { folderOf, pickPath, relativeTo } from '../state/files.ts';
import { useValueAt } from '../state/form.ts';
import { takeDigits } from '../state/preview.ts';
import { readDataAgain, useProjectState } from '../state/project.ts';
import { Button, dims, ErrorNotice, goOnAt, IconButton, Panel, plural, Skeleton } from '../ui/index.ts';
import classes from './data.module.css';

const place = ['data', 'source'];

/** What a kind needs before it can be read at all. */
function begin(row: SourceKind): Record<string, unknown> {
  return row.kind === 'random' ? { shape: [1, 28, 28] } : {};
}

export function SourcePanel({ onReadAgain }: { onReadAgain: () => void }) {
  const file = useProjectState((state) => state.file);
  const facts = useProjectState((state) => state.facts);
  const error = useProjectState((state) => state.factsError);
  const factsAwaited = useProjectState((state) => state.factsAwaited);
  const path = useValueAt([...place, 'path']);
  const chosen = useValueAt(place) !== undefined;
  const classCount = useValueAt([...place, 'classes']);

  const browse = async () => {
    if (file === null) return null;
    const start = typeof path === 'string' ? absolute(file, path) : folderOf(file);
    const folder = await pickPath({
      kind: 'folder',
      title: 'Folder with the data',
      confirm: 'Choose folder',
      start,
    });
    return folder === null ? null : relativeTo(file, folder);
  };
  const readAgain = () => {
    readDataAgain();
    onReadAgain();
  };
  return (
    <Panel
      title="Source"
      actions={chosen && <IconButton label="Read the data again" icon={IconRefresh} onClick={readAgain} />}
    >
      <div className={classes.source}>
        <RowForm
          place={place}
          table={sources}
          label="Kind"
          named="label"
          begin={begin}
          onBrowse={browse}
          // Vector targets only have a shape.
          without={classCount === null ? [] : ['target_shape']}
          // That it was not read is told with the reason beside the form.
          toldElsewhere={({ path: at }) => error !== null && at === 'data.source'}
        />
        <div className={classes.factsPlace}>
          {error ? (
            <ErrorNotice
              error={error}
              actions={
                <Button size="xs" icon={IconRefresh} onClick={readAgain}>
                  Read again
                </Button>
              }
            />
          ) : facts ? (
            <Facts facts={facts} />
          ) : chosen && factsAwaited ? (
            <Skeleton kind="text" lines={3} />
          ) : (
            <p className={classes.quiet}>
              Choose where the samples come from: their shape, classes and number appear here, and samples of them
              below.
            </p>
          )}
          {file !== null && !facts && <DigitsButton file={file} />}
        </div>
      </div>
    </Panel>
  );
}

/** For whoever has no data at hand. */
function DigitsButton({ file }: { file: string }) {
  const [busy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    await takeDigits(file);
    setBusy(false);
    // The button goes with what it was for; the samples are there now.
    goOnAt('[aria-label="Part shown"] input:checked');
  };
  return (
    <div>
      <Button loading={busy} onClick={() => void take()}>
        Use the digits that come with Gradloom
      </Button>
    </div>
  );
}

/** As the engine will read it: it takes `..` out itself. */
function absolute(file: string, path: string): string {
  return /^([/\\]|[a-z]:)/i.test(path) ? path : `${folderOf(file)}/${path}`;
}

function Facts({ facts }: { facts: DataFacts }) {
  const { input, target, parts } = facts;
  const rows: [string, string][] = [
    ['Training part', plural(parts.train, 'sample')],
    ['Test part', parts.test === undefined ? 'none' : plural(parts.test, 'sample')],
    ['Sample', `${dims(input.dims)}, ${input.dtype}`],
    ['Target', targetSentence(target, dims)],
  ];
  return (
    <dl className={classes.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
