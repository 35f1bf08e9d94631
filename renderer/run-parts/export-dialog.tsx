/** Takes a run's weights out as a file: which format, which checkpoint, where to; then what was checked and how it is loaded. */
import { useEffect, useId, useRef, useState } from 'react';
import type { RunRow } from '../../engine/contract/api.ts';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import { exportKinds } from '../../engine/contract/exports.ts';
import { desktop, type Exported, exportRun, readExport } from '../state/run-details.ts';
import { tellError } from '../state/session.ts';
import { Button, CodeLine, Dialog, ErrorNotice, Notice, ProgressBar, Segmented } from '../ui/index.ts';
import { certificateLine, exportName, fileName, loadingLine } from './export-words.ts';
import { nameLabel, partOf, quantity } from './quantities.ts';
import styles from './run-parts.module.css';
import { saveFile } from './save-file.ts';

type Checkpoint = 'best' | 'last';
const formatKey = 'gradloom.export-format';

export function ExportDialog({ run, onClose }: { run: RunRow; onClose: () => void }) {
  const host = desktop();
  const best = run.summary?.best ?? null;
  const [format, setFormat] = useState(() => rememberedFormat());
  const [checkpoint, setCheckpoint] = useState<Checkpoint>(best?.monitor.startsWith('val_') ? 'best' : 'last');
  const [out, setOut] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ErrorInfo | null>(null);
  const [done, setDone] = useState<Exported | null>(null);

  const name = exportName(run.name, format);
  const change = (next: { format?: string; checkpoint?: Checkpoint }) => {
    if (next.format !== undefined) {
      setFormat(next.format);
      localStorage.setItem(formatKey, next.format);
      setOut(null);
    }
    if (next.checkpoint !== undefined) setCheckpoint(next.checkpoint);
    setDone(null);
    setError(null);
  };
  const choosePlace = async () => {
    const extension = name.slice(name.lastIndexOf('.') + 1);
    const filters = [{ name: formatLabel(format), extensions: [extension] }];
    const chosen = await host?.pickTarget({ title: `Export ${run.name}`, name, filters });
    if (chosen) setOut(chosen);
  };
  const writing = useRef<AbortController>(null);
  // A dialog that is closed cancels what it began.
  useEffect(() => () => writing.current?.abort(), []);
  const write = async () => {
    setBusy(true);
    setError(null);
    writing.current = new AbortController();
    const answer = await exportRun(run, { format, checkpoint, out }, writing.current.signal);
    setBusy(false);
    if (answer === null) return;
    if ('exported' in answer) setDone(answer.exported);
    else setError(answer.error);
  };

  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Export ${run.name}`}
      size={560}
      actions={
        done === null ? (
          <>
            <Button onClick={busy ? () => writing.current?.abort() : onClose}>
              {busy ? 'Cancel the export' : 'Cancel'}
            </Button>
            <Button primary loading={busy} onClick={() => void write()}>
              Export
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Close</Button>
            {host ? (
              <Button primary onClick={() => void host.showInFolder(done.path).catch(tellError)}>
                Show in folder
              </Button>
            ) : (
              <DownloadButton run={run} name={fileName(done.path)} primary />
            )}
          </>
        )
      }
    >
      <Choices label="Format">
        {exportKinds.map((kind) => (
          <label key={kind.kind} className={styles.choice} data-chosen={kind.kind === format}>
            <input
              type="radio"
              name="export-format"
              checked={kind.kind === format}
              disabled={busy}
              onChange={() => change({ format: kind.kind })}
            />
            <span>
              <span className={styles.choiceName}>{kind.label}</span>
              <span className={styles.extension}>{kind.extension}</span>
              <span className={styles.quiet}>{kind.help}</span>
            </span>
          </label>
        ))}
      </Choices>
      <Choices label="Checkpoint">
        <div className={styles.line}>
          <Segmented
            label="Checkpoint"
            value={checkpoint}
            disabled={busy}
            onChange={(next) => change({ checkpoint: next })}
            options={[
              { value: 'best', label: 'Best', disabled: best === null },
              { value: 'last', label: 'Last' },
            ]}
          />
          <span className={styles.quiet}>{checkpointWords(run, checkpoint)}</span>
        </div>
      </Choices>
      <Choices label="Place">
        <div className={styles.line}>
          <span className={styles.place}>{out ?? `${name}, in the run's own folder`}</span>
          {host && (
            <Button disabled={busy} onClick={() => void choosePlace().catch(tellError)}>
              Choose a place
            </Button>
          )}
        </div>
      </Choices>
      {busy && <ProgressBar label="Writing, reading back and comparing" value={null} />}
      {error && <ErrorNotice error={error} />}
      {done && (
        <Notice tone="ok" title={certificateLine(done.certificate)}>
          <p className={styles.place}>
            {done.path}
            {done.replaced && ' (the file that was there is replaced)'}
          </p>
          <p className={styles.gap}>Load it in Python, with the model built as the project says:</p>
          <CodeLine>{loadingLine(done.format, host ? done.path : fileName(done.path))}</CodeLine>
        </Notice>
      )}
    </Dialog>
  );
}

function Choices({ label, children }: { label: string; children: React.ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out
    <div className={styles.choices} role="group" aria-labelledby={id}>
      <h3 className={styles.choicesTitle} id={id}>
        {label}
      </h3>
      {children}
    </div>
  );
}

export function DownloadButton({ run, name, primary = false }: { run: RunRow; name: string; primary?: boolean }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    const file = await readExport(run, name);
    setBusy(false);
    if (file) saveFile(file, name);
  };
  return (
    <Button
      primary={primary}
      size={primary ? 'sm' : 'xs'}
      loading={busy}
      title={`Download ${name}`}
      onClick={() => void download()}
    >
      Download
    </Button>
  );
}

function rememberedFormat(): string {
  const kept = localStorage.getItem(formatKey);
  return exportKinds.some(({ kind }) => kind === kept) ? (kept as string) : (exportKinds[0]?.kind ?? '');
}

function formatLabel(format: string): string {
  return exportKinds.find(({ kind }) => kind === format)?.label ?? format;
}

function checkpointWords({ summary }: RunRow, checkpoint: Checkpoint): string {
  if (!summary) return '';
  if (checkpoint === 'last') return `the newest that is saved, of ${summary.epoch} finished epochs`;
  const { best } = summary;
  if (best === null) return '';
  return `epoch ${best.epoch}, ${nameLabel(best.monitor).toLowerCase()} ${quantity(partOf(best.monitor).key).format(best.value)}`;
}
