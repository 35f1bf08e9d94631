/** A dialog over folders that somebody else lists: for windows whose files are on another machine. Mouse and keyboard, and a line for the path. */
import { IconArrowUp, IconFile, IconFolder, IconHome } from '@tabler/icons-react';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Button, IconButton } from '../basics/buttons.tsx';
import { type Column, DataTable } from '../basics/data-table.tsx';
import { EmptyState, ErrorNotice } from '../basics/notices.tsx';
import { Dialog } from '../basics/overlays.tsx';
import { Skeleton } from '../basics/skeleton.tsx';
import { TextField } from '../basics/text-field.tsx';
import { ago, bytes, moment, plural } from '../format.ts';
import classes from './file-browser.module.css';

export interface FileEntry {
  name: string;
  path: string;
  kind: 'folder' | 'file';
  size: number;
  modified: string;
}

export interface FolderListing {
  folder: string;
  /** null: nothing above may be looked at. */
  parent: string | null;
  entries: FileEntry[];
}

type Fault = { code: string; message: string; hint?: string | undefined; path?: string | undefined };

export interface FileBrowserProps {
  title: string;
  kind: 'file' | 'folder';
  /** The verb of the button that takes the choice. */
  confirm: string;
  /** Files that may be chosen, by the end of their names without the dot; none: all. */
  extensions?: readonly string[];
  start?: string | null;
  /** null: where browsing begins. */
  list: (folder: string | null) => Promise<FolderListing>;
  faultOf: (thrown: unknown) => Fault;
  onChoose: (path: string) => void;
  onClose: () => void;
}

/** The folder that holds a path. */
function above(path: string): string {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return end <= 0 ? path.slice(0, end + 1) : path.slice(0, end);
}

export function FileBrowser(props: FileBrowserProps) {
  const { title, kind, confirm, extensions = [], start = null, list, faultOf, onChoose, onClose } = props;
  const [listing, setListing] = useState<FolderListing | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [line, setLine] = useState('');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const asked = useRef(0);
  const table = useRef<HTMLDivElement>(null);

  const fits = useCallback(
    (entry: FileEntry) =>
      extensions.length === 0 || extensions.some((end) => entry.name.toLowerCase().endsWith(`.${end.toLowerCase()}`)),
    [extensions],
  );

  /** Shows a folder; answers whether it could be read. */
  const go = useCallback(
    async (folder: string | null, select?: string): Promise<FolderListing | null> => {
      asked.current += 1;
      const turn = asked.current;
      try {
        const found = await list(folder);
        if (turn !== asked.current) return null;
        setListing(found);
        setFault(null);
        setLine(found.folder);
        setSelected(new Set(select === undefined ? [] : [select]));
        return found;
      } catch (thrown) {
        if (turn === asked.current) setFault(faultOf(thrown));
        return null;
      }
    },
    [list, faultOf],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: where it begins is asked once
  useEffect(() => {
    const begin = async () => {
      // What is named may be a file, or be gone: then its folder, then where browsing begins.
      if (start !== null && ((await go(start)) || (await go(above(start), start)))) return;
      await go(null);
    };
    void begin();
  }, []);

  const openLine = async () => {
    const path = line.trim();
    if (path === '' || path === listing?.folder) return;
    if (await go(path)) return table.current?.querySelector<HTMLElement>('[role=grid]')?.focus();
    if (kind !== 'file') return;
    const around = await list(above(path)).catch(() => null);
    const file = around?.entries.find((entry) => entry.path === path && entry.kind === 'file');
    if (file) onChoose(file.path);
  };

  const entries = useMemo(
    () => (listing?.entries ?? []).filter((entry) => entry.kind === 'folder' || kind === 'folder' || fits(entry)),
    [listing, kind, fits],
  );
  const hidden = (listing?.entries.length ?? 0) - entries.length;
  const chosen = entries.find((entry) => selected.has(entry.path));
  const choice = kind === 'file' ? (chosen?.kind === 'file' ? chosen.path : null) : folderChoice(chosen, listing);

  const open = (entry: FileEntry) => {
    if (entry.kind === 'folder') void go(entry.path);
    else if (kind === 'file') onChoose(entry.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const inLine = event.target instanceof HTMLInputElement;
    const up = (event.key === 'ArrowUp' && event.altKey) || (event.key === 'Backspace' && !inLine);
    if (!up || !listing?.parent) return;
    event.preventDefault();
    void go(listing.parent, listing.folder);
  };

  return (
    <Dialog
      opened
      onClose={onClose}
      title={title}
      size={640}
      actions={
        <>
          <Button subtle onClick={onClose}>
            Cancel
          </Button>
          <Button primary disabled={choice === null} onClick={() => choice !== null && onChoose(choice)}>
            {confirm}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole dialog, each with a button as well */}
      <div className={classes.browser} onKeyDown={onKeyDown} ref={table}>
        <div className={classes.line}>
          <IconButton label="Where browsing begins" icon={IconHome} onClick={() => void go(null)} />
          <IconButton
            label="Up one folder"
            icon={IconArrowUp}
            keys="alt+up"
            disabled={!listing?.parent}
            onClick={() => listing?.parent && void go(listing.parent, listing.folder)}
          />
          <TextField
            label="Path"
            hiddenLabel
            mono
            value={line}
            onChange={setLine}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              void openLine();
            }}
          />
        </div>
        {fault && (
          <ErrorNotice
            error={fault}
            actions={
              <Button size="xs" onClick={() => void go(line.trim() === '' ? null : line.trim())}>
                Try again
              </Button>
            }
          />
        )}
        <div className={classes.table}>
          {listing === null ? (
            fault === null && <Skeleton kind="rows" lines={8} />
          ) : (
            <DataTable
              label="Files and folders"
              columns={columnsFor(kind)}
              rows={entries}
              rowKey={(entry) => entry.path}
              selected={selected}
              onSelect={setSelected}
              single
              onOpen={open}
              height={320}
              rowHeight={28}
              empty={
                <EmptyState compact title={hidden > 0 ? 'Nothing here that can be chosen' : 'This folder is empty'} />
              }
            />
          )}
        </div>
        <p className={classes.foot}>
          {hidden > 0 &&
            `${plural(hidden, 'other file')} not shown: only ${extensions.map((end) => `.${end}`).join(', ')}. `}
          {kind === 'folder' && choice !== null && (
            <>
              Chosen: <code>{choice}</code>
            </>
          )}
        </p>
      </div>
    </Dialog>
  );
}

/** A folder that is selected, else the one that is shown. */
function folderChoice(chosen: FileEntry | undefined, listing: FolderListing | null): string | null {
  return chosen?.kind === 'folder' ? chosen.path : (listing?.folder ?? null);
}

function columnsFor(kind: 'file' | 'folder'): Column<FileEntry>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      width: 'minmax(160px, 1fr)',
      render: (entry) => (
        <span className={classes.name} data-off={(kind === 'folder' && entry.kind === 'file') || undefined}>
          {entry.kind === 'folder' ? (
            <IconFolder size={16} stroke={1.6} aria-label="Folder" />
          ) : (
            <IconFile size={16} stroke={1.6} aria-label="File" />
          )}
          <span className={classes.text}>{entry.name}</span>
        </span>
      ),
      // Folders stay above files whichever way it is sorted by name at first.
      sort: (entry) => `${entry.kind === 'folder' ? 0 : 1}${entry.name.toLowerCase()}`,
    },
    {
      key: 'size',
      title: 'Size',
      width: 92,
      align: 'right',
      render: (entry) => (entry.kind === 'folder' ? '' : bytes(entry.size)),
      sort: (entry) => entry.size,
    },
    {
      key: 'modified',
      title: 'Changed',
      width: 108,
      render: (entry) => <span title={moment(entry.modified)}>{ago(entry.modified)}</span>,
      sort: (entry) => entry.modified,
      descendingFirst: true,
    },
  ];
}
