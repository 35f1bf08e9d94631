/** The settings of a run, by group: those that differ from the defaults, or all. */
import { useMemo, useState } from 'react';
import { type SettingRow, settingRows } from '../run-parts/settings.ts';
import { infoOf } from '../state/session.ts';
import { ErrorNotice, Segmented } from '../ui/index.ts';
import styles from './runs.module.css';

type Shown = 'changed' | 'all';

export function SettingsTree({ text }: { text: string }) {
  const [shown, setShown] = useState<Shown>('changed');
  const read = useMemo(() => {
    try {
      return { rows: settingRows(text) };
    } catch (thrown) {
      return { error: infoOf(thrown) };
    }
  }, [text]);
  if ('error' in read) return <ErrorNotice error={read.error} />;
  const rows = read.rows.filter(({ isDefault }) => shown === 'all' || !isDefault);
  return (
    <>
      <Segmented
        label="Settings shown"
        value={shown}
        onChange={setShown}
        options={[
          { value: 'changed', label: 'Differ from defaults' },
          { value: 'all', label: 'All' },
        ]}
      />
      {groupsOf(rows).map(({ group, rows: inside }) => (
        <div key={group} className={styles.group}>
          <h4 className={styles.groupTitle}>{group}</h4>
          <dl className={styles.facts}>
            {inside.map(({ path, label, value, isDefault }) => (
              <div key={path} className={styles.fact} title={path}>
                <dt>{label}</dt>
                <dd data-default={(shown === 'all' && isDefault) || undefined}>{value}</dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </>
  );
}

function groupsOf<T extends { group: SettingRow['group'] }>(rows: readonly T[]): { group: string; rows: T[] }[] {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return [...groups].map(([group, inside]) => ({ group, rows: inside }));
}
