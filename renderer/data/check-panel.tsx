/** The Data Doctor: what is wrong with the data, worst first, each with its offenders and buttons that mend it. */
import {
  IconAlertCircle,
  IconAlertTriangle,
  IconCircleCheck,
  IconInfoCircle,
  IconStethoscope,
} from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { DataFix, DoctorReport, Finding } from '../../engine/contract/data/doctor.ts';
import {
  applyFix,
  cancelCheck,
  checkData,
  type Outdated,
  useChecked,
  useChecking,
  useCheckKey,
} from '../state/data-check.ts';
import { useMarks } from '../state/data-marks.ts';
import { Button, EmptyState, ErrorNotice, integer, Notice, Panel, ProgressBar, plural } from '../ui/index.ts';
import type { SampleAt } from './address.ts';
import classes from './check.module.css';
import { Offenders } from './offenders.tsx';
import { progressWords, shareOf, stageWords } from './work-words.ts';

export interface CheckPanelProps {
  onLook: (at: SampleAt) => void;
  round: number;
}

export function CheckPanel({ onLook, round }: CheckPanelProps) {
  const work = useChecking();
  const key = useCheckKey();
  const { report, outdated } = useChecked();
  const mine = work.key === key || report !== null;
  const place = useRef<HTMLDivElement>(null);
  // Whose button goes away goes on here.
  const start = () => {
    place.current?.focus();
    void checkData();
  };
  return (
    <Panel
      title="Check of the data"
      hint={report && !work.running ? verdict(report) : undefined}
      actions={
        work.running && mine ? (
          <Button size="xs" onClick={cancelCheck}>
            Cancel
          </Button>
        ) : (
          <Button size="xs" icon={IconStethoscope} primary={report === null} onClick={() => void checkData()}>
            {report ? 'Check again' : 'Check the data'}
          </Button>
        )
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend */}
      <div ref={place} className={classes.check} role="group" aria-label="Findings" tabIndex={-1}>
        {work.running && mine && (
          <ProgressBar
            label={stageWords(work.progress) ?? 'Getting ready to check'}
            value={shareOf(work.progress)}
            detail={progressWords(work.progress)}
          />
        )}
        {work.key === key && work.error && <ErrorNotice error={work.error} />}
        {report ? (
          <Report
            report={report}
            outdated={work.running ? null : outdated}
            running={work.running}
            onLook={onLook}
            round={round}
            onCheck={start}
          />
        ) : (
          (work.key !== key || (!work.running && !work.error)) && (
            <EmptyState compact icon={IconStethoscope} title="Not checked yet">
              The check reads every sample and looks for files that cannot be read, duplicates within and across the
              splits, labels that contradict each other, classes that are empty or rare, columns that are constant,
              missing or give the target away, odd sizes and values. Each finding names its samples and offers what
              mends it.
            </EmptyState>
          )
        )}
      </div>
    </Panel>
  );
}

const severities = ['error', 'warning', 'note'] as const;
const severityWords = { error: 'error', warning: 'warning', note: 'note' } as const;

function verdict({ findings }: DoctorReport): string {
  const counts = severities.map((severity) => findings.filter((finding) => finding.severity === severity).length);
  const told = severities.flatMap((severity, index) => {
    const count = counts[index] as number;
    return count === 0 ? [] : [plural(count, severityWords[severity])];
  });
  return told.length === 0 ? 'nothing found' : told.join(', ');
}

const outdatedWords = {
  source: 'These findings are of before the source changed',
  split: 'Checked before the split changed: what depends on it may be otherwise now',
} as const;

function Report({
  report,
  outdated,
  running,
  onLook,
  onCheck,
  round,
}: {
  report: DoctorReport;
  outdated: Outdated;
  /** Another check, of the data as they are now. */
  running: boolean;
  onLook: (at: SampleAt) => void;
  onCheck: () => void;
  round: number;
}) {
  const { findings, checked } = report;
  const sorted = [...findings].sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  const list = useRef<HTMLDivElement>(null);
  const mended = useRef<{ at: number; of: DoctorReport } | null>(null);
  // Where the finding that was mended has gone, the keyboard goes on at the next.
  useEffect(() => {
    if (mended.current === null || mended.current.of === report) return;
    const { at } = mended.current;
    mended.current = null;
    const place = list.current;
    if (!place || (document.activeElement !== document.body && document.activeElement !== null)) return;
    const cards = [...place.children] as HTMLElement[];
    (cards[Math.min(at, cards.length - 1)] ?? place.parentElement)?.focus();
  }, [report]);
  return (
    <>
      {outdated && (
        <Notice
          tone="info"
          title={outdatedWords[outdated]}
          actions={
            <Button size="xs" onClick={onCheck}>
              Check again
            </Button>
          }
        />
      )}
      {sorted.length === 0 && (
        <EmptyState compact icon={IconCircleCheck} title="Nothing is wrong with the data">
          What was looked at is told below.
        </EmptyState>
      )}
      <div ref={list} className={classes.findings}>
        {sorted.map((finding, at) => (
          <FindingCard
            key={`${finding.code} ${finding.message}`}
            finding={finding}
            report={report}
            running={running}
            onLook={onLook}
            onFixed={() => {
              mended.current = { at, of: report };
              void checkData();
            }}
            round={round}
          />
        ))}
      </div>
      {checked.length > 0 && (
        <details className={classes.checked} open={sorted.length === 0 || undefined}>
          <summary>What was looked at</summary>
          <ul>
            {checked.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const icons = { error: IconAlertCircle, warning: IconAlertTriangle, note: IconInfoCircle } as const;

function FindingCard({
  finding,
  report,
  running,
  onLook,
  onFixed,
  round,
}: {
  finding: Finding;
  report: DoctorReport;
  running: boolean;
  onLook: (at: SampleAt) => void;
  onFixed: () => void;
  round: number;
}) {
  const { code, severity, message, hint, fixes, offenders, count } = finding;
  const Icon = icons[severity];
  const readable = useMarks(({ key }) => key !== null);
  const [doing, setDoing] = useState<string | null>(null);
  const [mendedIn, setMendedIn] = useState<DoctorReport | null>(null);
  const mended = running && mendedIn === report;
  const card = useRef<HTMLElement>(null);
  const mend = async (fix: DataFix) => {
    setDoing(fix.label);
    const done = await applyFix(fix);
    setDoing(null);
    if (!done) return;
    // The button is no longer one to press.
    card.current?.focus();
    setMendedIn(report);
    // Whether it is mended is what a person wants to see next.
    onFixed();
  };
  return (
    <section
      ref={card}
      className={classes.finding}
      data-severity={severity}
      data-mended={mended || undefined}
      aria-label={message}
      aria-busy={mended}
      tabIndex={-1}
    >
      <Icon size={18} className={classes.icon} aria-label={severityWords[severity]} />
      <div className={classes.body}>
        <h3 className={classes.message}>{message}</h3>
        <p className={classes.hint}>{hint}</p>
        <Offenders
          offenders={offenders}
          count={count}
          // What cannot be read has no picture.
          pictured={code !== 'UNREADABLE'}
          onLook={onLook}
          round={round}
        />
        {fixes.length > 0 && (
          <div className={classes.fixes}>
            {fixes.map((fix) => (
              <Button
                key={fix.label}
                size="xs"
                loading={doing === fix.label}
                disabled={mended || (doing !== null && doing !== fix.label) || (fix.marks !== undefined && !readable)}
                onClick={() => void mend(fix)}
              >
                {fix.label}
              </Button>
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

/** Beside the name of the view. */
export function useFindingCount(): string | null {
  const { report } = useChecked();
  if (report === null) return null;
  const grave = report.findings.filter(({ severity }) => severity !== 'note').length;
  return grave === 0 ? null : integer(grave);
}
