/** What lies at a path, and what it could be read as: the likeliest first, each with its reason and the guesses that a person may know better. */
import { useState } from 'react';
import type { DataNote, Guess, Inspection, Recognised } from '../../engine/contract/data/inspect.ts';
import type { JsonObject } from '../../engine/contract/report.ts';
import { sources } from '../../engine/contract/sources.ts';
import { type DataFacts, targetSentence } from '../../engine/contract/tensors.ts';
import { inspecting, inspectPath, takeSource } from '../state/data-bringing.ts';
import { useProjectState } from '../state/project.ts';
import {
  Button,
  dims,
  EmptyState,
  ErrorNotice,
  goOnAt,
  hasField,
  Panel,
  ProgressBar,
  plural,
  SchemaForm,
} from '../ui/index.ts';
import classes from './found.module.css';
import { progressWords, shareOf } from './work-words.ts';

/** Whether something is being looked at, or was found, for the open project. */
export function useLooking(): boolean {
  const file = useProjectState((state) => state.file);
  return inspecting.use(
    ({ key, running, result, error }) => key === file && (running || result !== null || error !== null),
  );
}

/** `onTake`: it is the project's source now. */
export function FoundData({ onTake }: { onTake: (kind: string) => void }) {
  const work = inspecting.use();
  const { running, result, error, progress, what } = work;
  return (
    <Panel
      title={running ? 'Looking' : result && result.found.length > 0 ? 'What it could be' : 'Nothing to read'}
      hint={<span className={classes.path}>{result?.path ?? what}</span>}
      actions={
        <Button size="xs" onClick={() => (running ? inspecting.cancel() : inspecting.clear())}>
          {running ? 'Cancel' : 'Choose something else'}
        </Button>
      }
    >
      <div className={classes.found}>
        {running && (
          <ProgressBar
            label={progress?.stage ?? 'Looking at what lies there'}
            value={shareOf(progress)}
            detail={progressWords(progress)}
          />
        )}
        {error && (
          <ErrorNotice
            error={error}
            actions={
              what !== null && (
                <Button size="xs" onClick={() => void inspectPath(what)}>
                  Look again
                </Button>
              )
            }
          />
        )}
        {result && <Results result={result} onTake={onTake} />}
      </div>
    </Panel>
  );
}

function Results({ result, onTake }: { result: Inspection; onTake: (kind: string) => void }) {
  const { found, notes } = result;
  return (
    <>
      {found.length === 0 && (
        <EmptyState compact title="Nothing here can be read as samples">
          {notes.length > 0
            ? 'What lies there is told below.'
            : 'Gradloom reads folders of images, tables (CSV, Parquet, JSON lines), arrays (NPY, NPZ, IDX), CIFAR and text.'}
        </EmptyState>
      )}
      {found.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: readings of one place have nothing but their order
        <Reading key={index} found={one} first={index === 0} onTake={onTake} />
      ))}
      <Notes notes={notes} />
    </>
  );
}

const sureWords = { certain: 'Certain', likely: 'Likely', possible: 'Possible' } as const;

function Reading({ found, first, onTake }: { found: Recognised; first: boolean; onTake: (kind: string) => void }) {
  const [changes, setChanges] = useState<JsonObject>({});
  const source = { ...found.source, ...changes };
  const take = () => {
    if (!takeSource(source)) return;
    onTake(found.source.kind);
    goOnAt('[role=listbox], [role=grid]');
  };
  return (
    <section className={classes.reading} data-first={first || undefined} aria-label={found.title}>
      <header className={classes.head}>
        <div className={classes.text}>
          <h3 className={classes.title}>
            {found.title}
            <span className={classes.sure} data-sure={found.sure}>
              {sureWords[found.sure]}
            </span>
          </h3>
          <p>{found.reason}</p>
          {found.facts && <p className={classes.quiet}>{factWords(found.facts)}</p>}
        </div>
        <Button primary={first} onClick={take}>
          Use this
        </Button>
      </header>
      <Guesses
        kind={found.source.kind}
        guesses={found.guesses}
        value={source}
        onChange={(key, value) => setChanges((before) => withKey(before, found.source, key, value))}
      />
      <Notes notes={found.notes} />
    </section>
  );
}

function factWords({ parts, input, target }: DataFacts): string {
  const test = parts.test ? `, ${plural(parts.test, 'sample')} to test` : '';
  const each = input.dims.length === 1 ? plural(input.dims[0] ?? 0, 'number') : dims(input.dims);
  return `${plural(parts.train, 'sample')} to learn from${test}; each is ${each}, the target ${targetSentence(target, dims)}`;
}

function withKey(before: JsonObject, source: JsonObject, key: string, value: unknown): JsonObject {
  // A key that is taken back is what was found, unless nothing was.
  return { ...before, [key]: value === undefined ? source[key] : value };
}

/** Each with its field where the kind has one, and why it was guessed. */
function Guesses({
  kind,
  guesses,
  value,
  onChange,
}: {
  kind: string;
  guesses: readonly Guess[];
  value: JsonObject;
  onChange: (key: string, value: unknown) => void;
}) {
  const shape = sources.get(kind)?.params ?? {};
  if (guesses.length === 0) return null;
  return (
    <div className={classes.guesses}>
      {guesses.map((guess) => (
        <div key={guess.key} className={classes.guess}>
          {hasField(shape, guess.key) && (
            <SchemaForm
              shape={shape}
              only={[guess.key]}
              value={{ [guess.key]: guess.value, ...value }}
              onChange={onChange}
            />
          )}
          <p className={classes.reason}>
            {hasField(shape, guess.key) ? guess.reason : `${guess.key}: ${guess.reason}`}
          </p>
        </div>
      ))}
    </div>
  );
}

const shownNames = 12;

export function Notes({ notes }: { notes: readonly DataNote[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className={classes.notes}>
      {notes.map((note) => (
        <li key={note.message}>
          {note.names && note.names.length > 0 ? (
            <details>
              <summary>{note.message}</summary>
              <p className={classes.names}>
                {note.names.slice(0, 8 * shownNames).join(', ')}
                {(note.count ?? note.names.length) > 8 * shownNames && ' …'}
              </p>
            </details>
          ) : (
            note.message
          )}
        </li>
      ))}
    </ul>
  );
}
