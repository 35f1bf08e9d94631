/** The Data Doctor: packs the data if need be, reads them once, asks every check, and says what it found. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DoctorReport, Finding, SplitShare } from '../../contract/data/doctor.ts';
import { GradloomError } from '../../contract/errors.ts';
import type { TaskProgress } from '../../contract/finders.ts';
import type { Addon } from '../../contract/native.ts';
import { type ResolvedProject, type ResolvedSource, readProject, resolveProject } from '../../contract/project.ts';
import { type PartName, partNames } from '../../contract/tensors.ts';
import { chosenSource } from '../chosen-source.ts';
import { readIntegers } from '../integers.ts';
import { sampleName } from '../mark-effects.ts';
import { honourMarks } from '../marked.ts';
import type { OpenSource } from '../open-source.ts';
import { type DataPack, packSource } from '../pack.ts';
import { openSource } from '../source.ts';
import { divideParts, type Members, type SplitName, splitHash } from '../split.ts';
import { type PartFacts, type Patient, type SampleKind, splitBit } from './check.ts';
import { checks } from './checks/index.ts';
import { classCounts } from './counts.ts';
import { readAgain, scan } from './scan.ts';
import { ChannelMoments } from './statistics.ts';

export interface ExamineOptions {
  signal: AbortSignal;
  onProgress(progress: TaskProgress): void;
  addon: Addon;
  cacheDir: string;
}

/**
 * Examines the data of a project as a run would use them: what marks leave out is not looked at. The same data give the same report, finding by
 * finding. Throws what packing throws, but not for samples that cannot be read: those are findings.
 * @throws GradloomError DATA_*, CANCELLED
 */
export async function examineData(text: string, baseDir: string, options: ExamineOptions): Promise<DoctorReport> {
  const project = readProject(text).project ?? {};
  const source = skipping(chosenSource(project));
  const { split } = resolveProject(project).data;
  const { addon, cacheDir, signal, onProgress } = options;
  const packed = await packSource(source, baseDir, {
    addon,
    cacheDir,
    split,
    signal,
    onProgress: ({ file, done, total }) => onProgress({ stage: file ? `importing ${file}` : 'importing', done, total }),
  });
  const opened = await openSource(source, baseDir, { split });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gradloom-doctor-'));
  try {
    const { pack } = await honourMarks(packed, source, baseDir, split, { folder });
    const resolved = resolveProject(project, pack.facts);
    return await examinePack(pack, opened, resolved, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What cannot be read is a finding, not an end. */
function skipping(source: ResolvedSource): ResolvedSource {
  return 'on_bad' in source ? { ...source, on_bad: 'skip' } : source;
}

async function examinePack(
  pack: DataPack,
  opened: OpenSource,
  project: ResolvedProject,
  { addon, signal, onProgress }: ExamineOptions,
): Promise<DoctorReport> {
  const { members, fault } = await division(pack, project, addon);
  const patient = await admit(pack, opened, project, members);
  const begun = checks.map((check) => ({ check, examination: check.begin(patient) }));
  const active = begun.flatMap(({ examination }) =>
    examination && typeof examination === 'object' ? [examination] : [],
  );
  const seeing = active.flatMap(({ row }) => (row ? [row] : []));
  const moments = patient.kind === 'image' ? new ChannelMoments(patient) : null;
  await scan(
    patient,
    (row) => {
      for (const see of seeing) see(row);
      moments?.add(row);
    },
    { signal, onProgress: (done, total) => onProgress({ stage: 'examining', done, total }) },
  );
  const findings: Finding[] = fault ? [fault] : [];
  const again = readAgain(patient);
  try {
    for (const examination of active) {
      findings.push(...(await examination.done(again.read)));
      if (signal.aborted) throw new GradloomError('CANCELLED', 'The Data Doctor was cancelled.');
    }
  } finally {
    await again.close();
  }
  return {
    findings: gravestFirst(findings),
    checked: begun.flatMap(({ check, examination }) => {
      if (examination === null) return [];
      return [typeof examination === 'string' ? examination : check.title];
    }),
    splits: shares(patient, members),
    split_hash: fault ? null : splitHash(members),
    data_hash: pack.hash,
    channels: moments?.answer() ?? null,
  };
}

/** Where the data cannot be divided as the project says, all of each part is looked at, and that is the first finding. */
async function division(
  pack: DataPack,
  { data: { split } }: ResolvedProject,
  addon: Addon,
): Promise<{ members: Members; fault: Finding | null }> {
  try {
    return { members: await divideParts(pack, split, addon), fault: null };
  } catch (thrown) {
    const { code, message, hint = '' } = GradloomError.from(thrown);
    if (code !== 'PROJECT_INVALID') throw thrown;
    const members = await divideParts(pack, { ...split, val: 0 }, addon);
    return {
      members,
      fault: { code: 'SPLIT', severity: 'error', message, hint, count: 1, offenders: [], fixes: [] },
    };
  }
}

async function admit(pack: DataPack, opened: OpenSource, project: ResolvedProject, members: Members): Promise<Patient> {
  const { input, target } = pack.facts;
  const kind = kindOf(input.dims, input.dtype);
  const parts = await Promise.all(
    partNames
      .filter((name) => pack.parts[name])
      .map(async (name): Promise<PartFacts> => {
        const { count, target: column, group } = pack.parts[name] as DataPack['parts'][string];
        return {
          name,
          count,
          splits: bitsOf(name, count, members),
          labels: target.kind === 'class' ? await readIntegers(column.path, count) : null,
          groups: group ? await readIntegers(group.path, count) : null,
        };
      }),
  );
  const unnamed = () =>
    Array.from({ length: input.dims[0] ?? 0 }, (_, at) => ({
      name: String(at),
      at,
      width: 1,
      kind: 'number' as const,
    }));
  return {
    project,
    pack,
    kind,
    dims: input.dims,
    classes: target.kind === 'class' || target.kind === 'mask' ? target.classes : null,
    parts,
    columns: kind === 'columns' ? ((await opened.inputColumns?.()) ?? unnamed()) : [],
    nameOf: (part, index) => sampleName(opened, part, index),
    groupName: (group) => opened.groupNames?.[group] || `group ${group}`,
    unreadRows: opened.unreadRows ?? { count: 0, rows: [] },
    nearlyNumbers: opened.nearlyNumbers ?? [],
    sizes: opened.sizes ? (part) => (opened.sizes as NonNullable<OpenSource['sizes']>)(part) : null,
  };
}

function kindOf(dims: readonly number[], dtype: string): SampleKind {
  if (dtype === 'int64') return 'tokens';
  if (dims.length === 1) return 'columns';
  return dims.length === 3 && (dims[0] as number) <= 4 ? 'image' : 'other';
}

function bitsOf(part: PartName, count: number, members: Members): Uint8Array {
  const bits = new Uint8Array(count);
  for (const [name, each] of Object.entries(members)) {
    if (each.part !== part) continue;
    const bit = splitBit[name as SplitName];
    if (!each.positions) for (let i = 0; i < count; i++) bits[i] = (bits[i] as number) | bit;
    else for (const i of each.positions) bits[i] = (bits[i] as number) | bit;
  }
  return bits;
}

function shares(patient: Patient, members: Members): SplitShare[] {
  const byClass = patient.parts.some(({ labels }) => labels !== null);
  return (Object.entries(members) as [SplitName, Members['train']][]).map(([name, { count }]) => ({
    name,
    count,
    classes: byClass ? classCounts(patient, name) : null,
  }));
}

const weights = { error: 0, warning: 1, note: 2 };

/** Of equal weight in the order of the checks. */
function gravestFirst(findings: Finding[]): Finding[] {
  return [...findings].sort((a, b) => weights[a.severity] - weights[b.severity]);
}
