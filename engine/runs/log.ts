/**
 * `log.txt` of a run: what happened to it, in lines for people, each with its time. Nothing reads it back and nothing depends on it: what
 * must not be lost is in the journal and the summary.
 */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { ErrorInfo } from '../contract/errors.ts';
import type { RunEvent } from '../contract/events.ts';
import { changeSentence, endSentence, epochLine, resumeSentence, startSentences } from './sentences.ts';
import type { RunSummary } from './summary.ts';

const logName = 'log.txt';

/** Appends to the log. Lines that cannot be written are lost: a log is no reason for a run to fail. */
export function appendLog(folder: string, lines: readonly string[], time = new Date().toISOString()): void {
  const text = lines
    .flatMap((line) => stripVTControlCharacters(line).split(/\r?\n|\r/))
    .map((line) => `${time}  ${line}\n`)
    .join('');
  if (text === '') return;
  try {
    appendFileSync(path.join(folder, logName), text);
  } catch {
    // a full disk, or a run that was discarded
  }
}

/** The lines of one event, none for what only the journal needs. `epochs`: how many the run has; `reason`: why it is interrupted. */
export function logLines(event: RunEvent, { epochs, reason }: Pick<RunSummary, 'epochs' | 'reason'>): string[] {
  switch (event.type) {
    case 'start': {
      const { setting, size } = startSentences(event);
      const versions = Object.entries(event.versions).map(([name, version]) => `${name} ${version}`);
      return [`Training ${event.name} on ${setting}, seed ${event.seed}`, size, versions.join(', ')];
    }
    case 'resume':
      return [resumeSentence(event)];
    case 'change':
      return [changeSentence(event)];
    case 'epoch':
      return [epochLine(event, epochs)];
    case 'state':
      return [`Now ${event.status}.`];
    case 'checkpoint':
      return [`Saved ${path.basename(event.folder)} (${event.roles.join(', ')}).`];
    case 'advice':
      return [`Note: ${event.message}`, ...next(event.hint)];
    case 'error':
      return errorLines(event);
    case 'end':
      return [endSentence(event), ...(reason === undefined ? [] : [`  Reason: ${reason}`])];
    default:
      return [];
  }
}

export function errorLines({ code, message, hint, path: place }: ErrorInfo): string[] {
  const where = place === undefined || message.includes(place) ? [] : [`  Where: ${place}`];
  return [`Error ${code}: ${message}`, ...where, ...next(hint)];
}

function next(hint: string | undefined): string[] {
  return hint === undefined ? [] : [`  Next: ${hint}`];
}
