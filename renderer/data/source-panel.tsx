/** Where the data comes from, what it says of itself, whether it is imported, and what is wrong with reading it. */
import { IconChevronRight, IconFile, IconFolder, IconRefresh, IconReplace } from '@tabler/icons-react';
import { useState } from 'react';
import type { ImportState } from '../../engine/contract/data/import.ts';
import { type SourceKind, sources } from '../../engine/contract/sources.ts';
import { type DataFacts, targetSentence } from '../../engine/contract/tensors.ts';
import { RowForm } from '../project-parts/row-form.tsx';
import { fileName, folderOf, pickPath, relativeTo } from '../state/files.ts';
import { useValueAt } from '../state/form.ts';
import { edit, readDataAgain, useProjectState } from '../state/project.ts';
import {
  Button,
  dims,
  ErrorNotice,
  Facts,
  FixButtons,
  IconButton,
  integer,
  Menu,
  type MenuItem,
  Panel,
  plural,
  Skeleton,
} from '../ui/index.ts';
import { ImportBar } from './import-bar.tsx';
import { RecipesDialog } from './recipes-dialog.tsx';
import classes from './source.module.css';
import startClasses from './start.module.css';
import { chooseData, StartData } from './start-data.tsx';
import { ToysDialog } from './toys-dialog.tsx';

const place = ['data', 'source'];

const begin = (row: SourceKind) => row.begin ?? {};

/** In a low window, and beside long lists, the settings give way. */
const openFrom = 680;

export interface SourcePanelProps {
  imported: ImportState | null;
  /** Other views than of samples want the room. */
  brief: boolean;
  onReadAgain: () => void;
  /** To the table's columns, where there are some. */
  onColumns: () => void;
}

export function SourcePanel({ imported, brief, onReadAgain, onColumns }: SourcePanelProps) {
  const facts = useProjectState((state) => state.facts);
  const error = useProjectState((state) => state.factsError);
  const chosen = useValueAt(place) !== undefined;
  const kind = useValueAt([...place, 'kind']);
  const path = useValueAt([...place, 'path']);
  const [wish, setWish] = useState<boolean | null>(null);
  const [dialog, setDialog] = useState<'recipes' | 'toys' | null>(null);
  // What wants attention is in sight.
  const open = !chosen || error !== null || (wish ?? (!brief && window.innerHeight >= openFrom));
  const label = typeof kind === 'string' ? (sources.get(kind)?.label ?? kind) : undefined;
  const readAgain = () => {
    readDataAgain();
    onReadAgain();
  };
  const others: MenuItem[] = [
    { label: 'Choose a folder…', icon: IconFolder, onClick: () => void chooseData('folder') },
    { label: 'Choose a file…', icon: IconFile, onClick: () => void chooseData('file') },
    { divider: '' },
    { label: 'Fetch a data set…', onClick: () => setDialog('recipes') },
    { label: 'Draw toy data…', onClick: () => setDialog('toys') },
  ];
  return (
    <>
      <Panel
        title={
          chosen ? (
            <button
              type="button"
              className={classes.fold}
              aria-expanded={open}
              disabled={error !== null}
              onClick={() => setWish(!open)}
            >
              <IconChevronRight size={14} className={classes.chevron} data-open={open || undefined} aria-hidden />
              Source
            </button>
          ) : (
            'Where does the data come from?'
          )
        }
        hint={chosen && !open && facts ? summary(label, path, facts) : undefined}
        actions={
          chosen && (
            <>
              <Menu
                label="Other data"
                align="end"
                trigger={
                  <Button size="xs" icon={IconReplace}>
                    Other data
                  </Button>
                }
                items={others}
              />
              <IconButton label="Read the data again" icon={IconRefresh} onClick={readAgain} />
            </>
          )
        }
        footer={chosen && facts && !error ? <ImportBar state={imported} /> : undefined}
      >
        {open ? (
          <>
            {!chosen && <StartData />}
            <div className={chosen ? classes.source : startClasses.hand}>
              {!chosen && <p className={classes.quiet}>Or say yourself what it is:</p>}
              <SourceForm error={error !== null} onColumns={onColumns} />
              {chosen && <Told onReadAgain={readAgain} />}
            </div>
          </>
        ) : undefined}
      </Panel>
      {dialog === 'recipes' && <RecipesDialog onClose={() => setDialog(null)} />}
      {dialog === 'toys' && <ToysDialog onClose={() => setDialog(null)} />}
    </>
  );
}

/** What the data says of itself, or why it cannot be read. */
function Told({ onReadAgain }: { onReadAgain: () => void }) {
  const facts = useProjectState((state) => state.facts);
  const error = useProjectState((state) => state.factsError);
  const factsAwaited = useProjectState((state) => state.factsAwaited);
  return (
    <div className={classes.factsPlace}>
      {error ? (
        <ErrorNotice
          error={error}
          actions={
            <>
              <FixButtons fixes={error.fixes ?? []} onFix={({ edits }) => edit(edits)} />
              <Button size="xs" icon={IconRefresh} onClick={onReadAgain}>
                Read again
              </Button>
            </>
          }
        />
      ) : facts ? (
        <SourceFacts facts={facts} />
      ) : factsAwaited ? (
        <Skeleton kind="text" lines={4} />
      ) : (
        <p className={classes.quiet}>What the data says of itself appears here once it can be read.</p>
      )}
    </div>
  );
}

/** Columns have a table of their own. */
const inTheTable = ['columns'];

function SourceForm({ error, onColumns }: { error: boolean; onColumns: () => void }) {
  const file = useProjectState((state) => state.file);
  const chosen = useValueAt(place);
  const path = useValueAt([...place, 'path']);
  const classCount = useValueAt([...place, 'classes']);
  const kind = typeof chosen === 'object' && chosen !== null && 'kind' in chosen ? String(chosen.kind) : '';
  const isTable = isTableKind(kind);
  const browse = async () => {
    if (file === null) return null;
    const start = typeof path === 'string' ? absolute(file, path) : folderOf(file);
    const folder = await pickPath({
      kind: isTable ? 'file' : 'folder',
      title: isTable ? 'File with the data' : 'Folder with the data',
      confirm: isTable ? 'Choose file' : 'Choose folder',
      start,
    });
    return folder === null ? null : relativeTo(file, folder);
  };
  return (
    <div>
      <RowForm
        place={place}
        table={sources}
        label="Kind"
        named="label"
        begin={begin}
        onBrowse={browse}
        // Vector targets only have a shape.
        without={classCount === null ? inTheTable : [...inTheTable, 'target_shape']}
        // That it was not read is told with the reason beside the form; that there is none yet, by the page.
        toldElsewhere={({ path: at }) => (error || chosen === undefined) && at === 'data.source'}
      />
      {isTable && !error && (
        <div className={classes.columns}>
          <Button size="xs" onClick={onColumns}>
            {hasRoles(kind) ? 'Columns and their roles' : 'Columns'}
          </Button>
        </div>
      )}
    </div>
  );
}

export const isTableKind = (kind: string) => sources.get(kind)?.isTable === true;
/** Whether each column is given a role of its own. */
export const hasRoles = (kind: string) => 'columns' in (sources.get(kind)?.params ?? {});

/** As the engine will read it: it takes `..` out itself. */
function absolute(file: string, path: string): string {
  return /^([/\\]|[a-z]:)/i.test(path) ? path : `${folderOf(file)}/${path}`;
}

function summary(label: string | undefined, path: unknown, { parts, input }: DataFacts): string {
  const where = typeof path === 'string' ? ` · ${fileName(path)}` : '';
  const count = parts.train + (parts.val ?? 0) + (parts.test ?? 0);
  return `${label ?? ''}${where} · ${plural(count, 'sample')} of ${dims(input.dims)}`;
}

function SourceFacts({ facts }: { facts: DataFacts }) {
  const { input, target, parts } = facts;
  return (
    <Facts
      rows={[
        ['Training part', plural(parts.train, 'sample')],
        ...(parts.val === undefined ? [] : [['Validation part', plural(parts.val, 'sample')] as const]),
        ['Test part', parts.test === undefined ? 'none' : plural(parts.test, 'sample')],
        ['Sample', `${dims(input.dims)}, ${input.dtype}${input.tokens ? `, ${integer(input.tokens)} tokens` : ''}`],
        ['Target', targetSentence(target, dims)],
      ]}
    />
  );
}
