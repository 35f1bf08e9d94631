/** What a person writes about a run: saved by itself while they write, at the latest when they leave. */
import { useEffect, useId, useRef, useState } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import { saveNotes } from '../state/run-details.ts';
import styles from './runs.module.css';

const saveMs = 800;

export function Notes({ run }: { run: RunRow }) {
  const id = useId();
  const [text, setText] = useState(run.notes);
  const [saved, setSaved] = useState(run.notes);
  const [failed, setFailed] = useState(false);
  const latest = useRef({ text, saved, folder: run.folder });
  latest.current = { text, saved, folder: run.folder };

  // What another window wrote is taken over where nothing of ours would be lost.
  const [told, setTold] = useState(run.notes);
  if (told !== run.notes) {
    setTold(run.notes);
    if (text === saved) setText(run.notes);
    setSaved(run.notes);
  }

  const store = async (notes: string) => {
    const done = await saveNotes(run.folder, notes);
    setFailed(!done);
    if (done) setSaved(notes);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last keystroke decides
  useEffect(() => {
    if (text === saved) return;
    const timer = setTimeout(() => void store(text), saveMs);
    return () => clearTimeout(timer);
  }, [text, saved]);
  useEffect(
    () => () => {
      const { text: written, saved: kept, folder } = latest.current;
      if (written !== kept) void saveNotes(folder, written);
    },
    [],
  );

  return (
    <div className={styles.notes}>
      <label className={styles.notesLabel} htmlFor={id}>
        Notes
        <span className={styles.quiet} aria-live="polite">
          {text === saved ? '' : failed ? 'Not saved' : 'Saving…'}
        </span>
      </label>
      <textarea
        id={id}
        className={styles.notesText}
        value={text}
        rows={3}
        placeholder="What was tried, what came of it"
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={() => text !== saved && void store(text)}
      />
    </div>
  );
}
