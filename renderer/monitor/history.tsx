/** What happened in a run: advice as quiet cards, and every event with its time, the newest first. */
import { memo, useState } from 'react';
import type { RunNote } from '../../engine/contract/api.ts';
import { isSteering } from '../../engine/contract/notes.ts';
import { Notice, Panel, plural, Segmented } from '../ui/index.ts';
import styles from './monitor.module.css';

const words: Record<RunNote['kind'], string> = {
  start: 'Start',
  state: 'State',
  checkpoint: 'Checkpoint',
  snapshot: 'Snapshot',
  advice: 'Advice',
  error: 'Error',
  resume: 'Resume',
  change: 'Change',
  end: 'End',
};

/** As many lines are drawn before somebody asks for all. */
const most = 60;

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const calendar = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** Drawn again only when something has happened. */
export const History = memo(function History({ notes }: { notes: readonly RunNote[] }) {
  const [shown, setShown] = useState<'all' | 'important'>('all');
  const [whole, setWhole] = useState(false);
  const advice = latestAdvice(notes);
  const kept = shown === 'all' ? notes : notes.filter(({ kind }) => kind !== 'checkpoint' && kind !== 'state');
  // Numbered from the oldest, so that a new one leaves the others' keys.
  const lines = kept.map((note, number) => ({ note, number })).toReversed();
  const drawn = whole ? lines : lines.filter(({ note }, index) => index < most || isSteering(note));
  return (
    <>
      {advice.map(({ time, message, hint }) => (
        <Notice key={`${time} ${message}`} title={message}>
          {hint}
        </Notice>
      ))}
      <Panel
        title="Events"
        hint={plural(notes.length, 'event')}
        padding="none"
        actions={
          <Segmented
            label="Events shown"
            value={shown}
            onChange={setShown}
            options={[
              { value: 'all', label: 'All' },
              { value: 'important', label: 'Without checkpoints' },
            ]}
          />
        }
      >
        {lines.length === 0 ? (
          <p className={styles.nothing}>Nothing has happened yet.</p>
        ) : (
          <ol className={styles.events} aria-label="Events, the newest first">
            {drawn.map(({ note, number }) => (
              <Event key={number} note={note} />
            ))}
          </ol>
        )}
        {drawn.length < lines.length && (
          <button type="button" className={styles.more} onClick={() => setWhole(true)}>
            Show {lines.length - drawn.length} earlier events
          </button>
        )}
      </Panel>
    </>
  );
});

const Event = memo(function Event({ note }: { note: RunNote }) {
  const time = new Date(note.time);
  return (
    <li className={styles.event} data-kind={note.kind}>
      <time className={styles.time} dateTime={note.time} title={calendar.format(time)}>
        {clock.format(time)}
      </time>
      <span className={styles.kind}>{words[note.kind]}</span>
      <span>
        {note.message}
        {note.hint !== undefined && <span className={styles.hint}>{note.hint}</span>}
      </span>
    </li>
  );
});

/** Each advice once, however often it was given. */
function latestAdvice(notes: readonly RunNote[]): RunNote[] {
  const byMessage = new Map<string, RunNote>();
  for (const note of notes) if (note.kind === 'advice') byMessage.set(note.message, note);
  return [...byMessage.values()].slice(-3);
}
