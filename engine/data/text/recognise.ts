/** Recognises text: files of it, folders of it by class, and tables with a column of texts beside one of labels. */
import { isUtf8 } from 'node:buffer';
import type { DataNote, Recognised } from '../../contract/data/inspect.ts';
import { integer } from '../../contract/format.ts';
import { resolveProject } from '../../contract/project.ts';
import type { LabelledTextSource, TextSource } from '../../contract/sources/text.ts';
import { factsOf } from '../describe.ts';
import type { ListedFile } from '../listing.ts';
import type { Found } from '../recognise/recogniser.ts';
import { textEnding } from './corpus.ts';
import { classFiles } from './documents.ts';
import { openLabelledText } from './labelled-source.ts';
import { openTextSource } from './source.ts';
import { looksAtTexts } from './table-documents.ts';

/** What is larger is told of by its start. */
const mostBytes = 64 << 20;
const startBytes = 4096;
/** Files, spread over the listing, whose first bytes are looked at. */
const lookedAt = 20;
/** Texts, labels, and perhaps a number. */
const fewColumns = 3;
const tableName = /\.(csv|tsv|tab|parquet|pq|jsonl|ndjson)(\.gz)?$/i;

export async function recogniseText(found: Found): Promise<Recognised[]> {
  const { files, kind, path } = found;
  const [first] = files;
  if (!first) return [];
  if (kind === 'file') {
    if (tableName.test(path)) return tableOfTexts(found, first);
    return textEnding.test(path) && (await isText(found, first)) ? [await plainText(found)] : [];
  }
  const notes: DataNote[] = [];
  const classed = classFiles(files, notes);
  const classes = new Set(classed.map(({ label }) => label));
  if (classes.size > 1 && classed.length > 0.6 * files.length && (await areTexts(found, classed))) {
    return [await labelledTexts(found, classes.size)];
  }
  const texts = files.filter(({ name }) => textEnding.test(name) && !/^(readme|licen[cs]e|changelog)\b/i.test(name));
  if (texts.length > 0.5 * files.length && (await areTexts(found, texts))) return [await plainText(found)];
  const tables = files.filter(({ name }) => tableName.test(name));
  return tables.length === 1 ? tableOfTexts(found, tables[0] as ListedFile) : [];
}

async function isText({ head }: Found, { path }: ListedFile): Promise<boolean> {
  const start = await head(path, startBytes);
  if (start.length === 0) return false;
  if (/^(fffe|feff)/.test(start.toString('hex', 0, 2))) return true;
  // The sample may end in the middle of a character.
  if ([0, 1, 2, 3].some((cut) => isUtf8(start.subarray(0, start.length - cut)) && !start.includes(0))) return true;
  return !start.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
}

async function areTexts(found: Found, files: readonly ListedFile[]): Promise<boolean> {
  const step = Math.max(1, Math.floor(files.length / lookedAt));
  let [seen, texts] = [0, 0];
  for (let at = 0; at < files.length; at += step) {
    const file = files[at] as ListedFile;
    if (file.bytes === 0) continue;
    seen++;
    if (await isText(found, file)) texts++;
  }
  return seen > 0 && texts / seen > 0.9;
}

const sizeOf = ({ files }: Found) => files.reduce((sum, { bytes }) => sum + bytes, 0);

async function plainText(found: Found): Promise<Recognised> {
  const source = { kind: 'text' as const, path: found.path };
  const blank = {
    source,
    title: 'Text, for a model that tells the next character',
    reason: 'It is plain text.',
    sure: 'likely' as const,
    guesses: [],
  };
  if (sizeOf(found) > mostBytes) {
    return {
      ...blank,
      notes: [{ message: 'It is large: its characters are counted when it is imported' }],
      facts: null,
    };
  }
  const settings = resolveProject({ data: { source } }).data.source as TextSource;
  const opened = await openTextSource(settings, found.path);
  const facts = factsOf(opened, await opened.target());
  const title = `Text of ${integer((facts.input.tokens ?? 1) - 1)} different characters, ${integer(facts.parts.train)} pieces of ${settings.length}`;
  return { ...blank, title, notes: opened.notes ?? [], facts };
}

async function labelledTexts(found: Found, classes: number): Promise<Recognised> {
  const source = { kind: 'labelled_text' as const, path: found.path };
  const blank = {
    source,
    title: `Texts of ${integer(classes)} classes`,
    reason: 'There is a folder of text files for each class.',
    sure: 'likely' as const,
    guesses: [],
  };
  if (sizeOf(found) > mostBytes) {
    return {
      ...blank,
      notes: [{ message: 'There is much of it: its words are counted when it is imported' }],
      facts: null,
    };
  }
  const settings = resolveProject({ data: { source } }).data.source as LabelledTextSource;
  const opened = await openLabelledText(settings, found.path);
  const facts = factsOf(opened, await opened.target());
  return {
    ...blank,
    title: `${integer(facts.parts.train)} texts of ${integer(classes)} classes`,
    notes: opened.notes ?? [],
    facts,
  };
}

async function tableOfTexts({ signal }: Found, { path, bytes }: ListedFile): Promise<Recognised[]> {
  if (bytes > mostBytes) return [];
  const source = { kind: 'labelled_text' as const, path };
  const settings = resolveProject({ data: { source } }).data.source as LabelledTextSource;
  const look = await looksAtTexts(path, settings, signal).catch(() => null);
  if (!look) return [];
  const { text, label, columns, guesses } = look;
  const lenient: LabelledTextSource = { ...settings, text, label, on_bad: 'skip' };
  const opened = await openLabelledText(lenient, path);
  const facts = factsOf(opened, await opened.target());
  const classes = facts.target.kind === 'class' ? facts.target.classes.length : 0;
  return [
    {
      source: { ...source, text, label },
      title: `${integer(facts.parts.train)} texts of ${integer(classes)} classes, in a table`,
      reason: `The column ${text} holds texts of several words, and ${label} few different values.`,
      // With many columns beside the texts it is rather a table with a remark in each row.
      sure: columns <= fewColumns ? 'certain' : 'possible',
      guesses,
      notes: opened.notes ?? [],
      facts,
    },
  ];
}
