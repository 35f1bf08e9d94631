/** Imported data in the cache: how much it may take, what there is, and taking it away. */
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { CachedPack } from '../../engine/contract/data/recipes.ts';
import { usePacks } from '../state/packs.ts';
import { changeSettings } from '../state/session.ts';
import {
  ago,
  Button,
  bytes,
  type Column,
  DataTable,
  ErrorNotice,
  IconButton,
  moment,
  plural,
  Skeleton,
  TextField,
} from '../ui/index.ts';
import styles from './settings.module.css';

const gib = 2 ** 30;

export function Packs() {
  const { packs, error, remove } = usePacks();
  if (error) return <ErrorNotice error={error} />;
  if (packs === null) return <Skeleton kind="rows" lines={3} />;
  const stale = packs.filter(({ current, in_use }) => !current && !in_use);
  const total = packs.reduce((sum, pack) => sum + pack.bytes, 0);
  if (packs.length === 0) {
    return (
      <p className={styles.note}>
        Nothing is imported yet. What a run reads is packed once and kept here, so that the next one starts at once.
      </p>
    );
  }
  return (
    <>
      <div className={styles.packsHead}>
        <span>{`${plural(packs.length, 'data set')}, ${bytes(total)}`}</span>
        {stale.length > 0 && (
          <Button size="xs" onClick={() => void remove(stale.map(({ key }) => key))}>
            {`Remove ${plural(stale.length, 'outdated one')}, ${bytes(stale.reduce((sum, pack) => sum + pack.bytes, 0))}`}
          </Button>
        )}
      </div>
      <DataTable
        label="Imported data"
        columns={columnsOf(remove)}
        rows={packs}
        rowKey={keyOf}
        defaultSort={{ key: 'used', descending: true }}
        height={Math.min(11, packs.length + 1) * 32 + 2}
      />
    </>
  );
}

const keyOf = ({ key }: CachedPack) => key;

function columnsOf(remove: (keys: readonly string[]) => Promise<void>): Column<CachedPack>[] {
  return [
    {
      key: 'title',
      title: 'Made from',
      width: 'minmax(160px, 1fr)',
      sort: ({ title }) => title,
      render: ({ title }) => <span title={title}>{title}</span>,
    },
    {
      key: 'state',
      title: 'State',
      width: 88,
      sort: stateOf,
      render: (pack) => <span className={styles.help}>{stateOf(pack)}</span>,
    },
    {
      key: 'used',
      title: 'Used',
      width: 112,
      descendingFirst: true,
      sort: ({ used }) => used,
      render: ({ used }) => (
        <span className={styles.help} title={moment(used)}>
          {ago(used)}
        </span>
      ),
    },
    {
      key: 'bytes',
      title: 'Size',
      width: 92,
      align: 'right',
      descendingFirst: true,
      sort: ({ bytes: size }) => size,
      render: ({ bytes: size }) => bytes(size),
    },
    {
      key: 'remove',
      title: '',
      width: 48,
      render: (pack) => (
        <IconButton
          label={pack.in_use ? `A run reads ${pack.title} now` : `Remove ${pack.title} from the cache`}
          icon={IconTrash}
          size={24}
          danger
          disabled={pack.in_use}
          onClick={() => void remove([pack.key])}
        />
      ),
    },
  ];
}

function stateOf({ current, in_use }: CachedPack): string {
  if (in_use) return 'in use';
  return current ? '' : 'outdated';
}

const shownLimit = (value: number | null) => (value === null ? '' : String(value));

/** In GiB; empty: no limit. */
export function CacheLimit({ value }: { value: number | null }) {
  const [text, setText] = useState(shownLimit(value));
  const [of, setOf] = useState(value);
  // Changed elsewhere: by another window, or the command line.
  if (of !== value) {
    setOf(value);
    setText(shownLimit(value));
  }
  const read = Number(text.trim().replace(',', '.'));
  const wrong = text.trim() !== '' && !(read > 0 && read <= 1_000_000);
  const keep = () => {
    if (wrong) return;
    const next = text.trim() === '' ? null : read;
    if (next !== value) void changeSettings({ cache_limit: next });
  };
  return (
    <div className={styles.limit}>
      <TextField
        label="Limit of imported data in GiB"
        hiddenLabel
        width={110}
        placeholder="none"
        value={text}
        error={wrong ? 'A number above 0 is expected.' : null}
        onChange={setText}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter') keep();
          else if (event.key === 'Escape') setText(shownLimit(value));
        }}
      />
      <span className={styles.help}>{!wrong && read > 0 ? bytes(read * gib) : 'GiB'}</span>
    </div>
  );
}
