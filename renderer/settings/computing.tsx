/** The two settings of computing: threads and the default device. */
import { useEffect, useState } from 'react';
import { mostThreads } from '../../engine/contract/threads.ts';
import { useDevices } from '../state/devices.ts';
import { changeSettings } from '../state/session.ts';
import { Segmented, Skeleton, TextField } from '../ui/index.ts';

/** The number that was typed, null for an empty field, undefined for what is no number of threads. */
function threadsIn(text: string, most: number): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const value = Number(trimmed);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
}

export function Threads({ value }: { value: number | null }) {
  const [text, setText] = useState(value === null ? '' : String(value));
  const automatic = useDevices(({ report }) => report?.versions['CPU threads']);
  const most = useDevices(({ report }) => mostThreads(report?.host.cores ?? Number.POSITIVE_INFINITY));
  const typed = threadsIn(text, most);
  // Another window may have changed it.
  useEffect(() => setText(value === null ? '' : String(value)), [value]);
  const save = () => {
    if (typed !== undefined && typed !== value) void changeSettings({ threads: typed });
  };
  return (
    <TextField
      label="Threads"
      hiddenLabel
      value={text}
      onChange={setText}
      placeholder={automatic === undefined ? 'Automatic' : `Automatic (${automatic} here)`}
      error={typed === undefined ? `A whole number from 1 to ${most}, or nothing for automatic` : null}
      onBlur={save}
      onKeyDown={(event) => event.key === 'Enter' && save()}
    />
  );
}

export function DefaultDevice({ value }: { value: string | null }) {
  const report = useDevices((state) => state.report);
  if (report === null && value === null) return <Skeleton height={28} />;
  const found = (report?.devices ?? []).map(({ name }) => name);
  // A device that was chosen and is not there now stays in sight.
  const names = value === null || found.includes(value) ? found : [...found, value];
  return (
    <Segmented
      label="Default device"
      value={value ?? ''}
      options={[{ value: '', label: 'Automatic' }, ...names.map((name) => ({ value: name, label: name }))]}
      onChange={(name) => void changeSettings({ device: name === '' ? null : name })}
    />
  );
}
