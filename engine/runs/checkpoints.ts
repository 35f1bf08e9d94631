/**
 * The checkpoints of a run: immutable folders, written under a temporary name, checked, renamed, and named by an index. A folder goes only
 * when the index no longer names it; a crash or a full disk in mid-save leaves all earlier ones as they were.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { GradloomError } from '../contract/errors.ts';
import { readSafetensors } from '../export/safetensors.ts';
import {
  asOf,
  type CheckpointEntry,
  type CheckpointIndex,
  type CheckpointMarks,
  type CheckpointRole,
  indexOf,
  indexSchema,
  rolesIn,
  trimmed,
  without,
  withSaved,
  wouldRank,
} from './checkpoint-index.ts';
import { replaceJson, syncFolder, writeDurable, writeError } from './durable.ts';
import { type Fingerprint, fingerprint, sha256OfText } from './fingerprint.ts';
import { checkpointsName } from './folder.ts';
import { stateSchema, type TrainingState } from './training-state.ts';
import type { CheckpointName } from './types.ts';

const indexName = 'index.json';
const stateName = 'state.json';
const temporaryPrefix = '.tmp-';
const damagedPrefix = 'damaged-';
const modelName = 'model.safetensors';
const averagesName = 'ema.safetensors';
/** As `#freeName` makes them: whatever has another name is not ours. */
const folderPattern = /^step-(\d{8,})(?:\.\d+)?$/;
const temporaryPattern = /^\.tmp-step-\d{8,}(?:\.\d+)?$|^index\.json\.\d+\.tmp$/;

const fileSchema = z.object({ bytes: z.number(), sha256: z.string() });
const storedSchema = stateSchema.extend({
  files: z.record(z.string(), fileSchema),
  /** Asked for by a person: stays. */
  snapshot: z.literal(true).exactOptional(),
  /** Begun from a weights file: stays. */
  initial: z.literal(true).exactOptional(),
});

export interface LoadedCheckpoint {
  entry: CheckpointEntry;
  folder: string;
  state: TrainingState;
}

export interface SavedCheckpoint {
  folder: string;
  roles: CheckpointRole[];
}

/** The weights to evaluate, predict and export with: averaged ones where a checkpoint has them. */
export function weightsFile(checkpoint: string): string {
  const averages = path.join(checkpoint, averagesName);
  return existsSync(averages) ? averages : path.join(checkpoint, modelName);
}

export class Checkpoints {
  readonly #base: string;
  readonly #keep: number;
  readonly #topK: number;
  #index: CheckpointIndex;

  /** `keep`: how many of the newest scheduled ones are kept besides the last, the `topK` best and the snapshots. */
  constructor(runFolder: string, keep: number, topK = 1) {
    this.#base = path.join(runFolder, checkpointsName);
    this.#keep = keep;
    this.#topK = topK;
    this.#index = this.#readIndex() ?? this.#rebuildIndex();
  }

  get entries(): readonly CheckpointEntry[] {
    return this.#index.checkpoints;
  }

  /** The newest one's position, to tell whether a save would add anything. */
  get last(): CheckpointEntry | undefined {
    return this.#entry(this.#index.last);
  }

  /**
   * Writes one checkpoint; `write` puts the tensors' files into a folder. On any error the earlier ones and the index stand.
   * @throws GradloomError DISK_FULL, NOT_WRITABLE, CHECKPOINT_DAMAGED when the files do not read back whole
   */
  async save(
    state: TrainingState,
    marks: CheckpointMarks,
    write: (folder: string) => Promise<void>,
  ): Promise<SavedCheckpoint> {
    const name = this.#freeName(state.step);
    const temporary = path.join(this.#base, `${temporaryPrefix}${name}`);
    const final = path.join(this.#base, name);
    let sha256: string;
    try {
      rmSync(temporary, { recursive: true, force: true });
      mkdirSync(temporary, { recursive: true });
      await write(temporary);
      const kept = { ...(marks.snapshot ? { snapshot: true } : {}), ...(marks.initial ? { initial: true } : {}) };
      const stored = { ...state, files: await fingerprintFolder(temporary), ...kept };
      const text = `${JSON.stringify(stored, null, 2)}\n`;
      writeDurable(path.join(temporary, stateName), text);
      sha256 = sha256OfText(readFileSync(path.join(temporary, stateName), 'utf8'));
      if (sha256 !== sha256OfText(text)) throw damaged(temporary, `${stateName} does not read back as written`);
      syncFolder(temporary);
      renameSync(temporary, final); // made durable together with the index, in the same folder
    } catch (thrown) {
      rmSync(temporary, { recursive: true, force: true });
      throw writeError(thrown, temporary);
    }
    const { step, epoch, batch } = state;
    const entry = { folder: name, step, epoch, batch, sha256, scheduled: marks.scheduled === true };
    this.#writeIndex(withSaved(this.#index, entry, marks, this.#topK));
    return { folder: final, roles: this.rolesOf(entry) };
  }

  /** Whether a checkpoint with that value would be one of the best, where more than one is kept. */
  isAmongBest(value: number, higher: boolean): boolean {
    return wouldRank(this.#index, { value, higher }, this.#topK);
  }

  /** What was best by another value is no measure any more. */
  forgetRanks(): void {
    this.#index = { ...this.#index, top: [] };
  }

  /**
   * The newest checkpoint that is whole. Damaged ones are set aside (renamed, not deleted) and reported.
   * With none left: `found` null, and the run starts from its initial state. `passed`: the folder of one that is not wanted.
   */
  async newestWhole(passed?: string): Promise<{ found: LoadedCheckpoint | null; damaged: GradloomError[] }> {
    const faults: GradloomError[] = [];
    for (const entry of [...this.#index.checkpoints].reverse()) {
      if (entry.folder === passed) continue;
      try {
        const found = await this.#load(entry);
        if (faults.length > 0) this.#writeIndex(asOf(this.#index, found.state));
        return { found, damaged: faults };
      } catch (thrown) {
        const fault = GradloomError.from(thrown);
        if (fault.code !== 'CHECKPOINT_DAMAGED') throw fault;
        faults.push(fault);
        this.#setAside(entry);
      }
    }
    return { found: null, damaged: faults };
  }

  /** Sets aside the newest ones, down to the first that is good. */
  setAsideUntil(isGood: (folder: string) => boolean): void {
    for (const entry of [...this.#index.checkpoints].reverse()) {
      if (isGood(path.join(this.#base, entry.folder))) return;
      this.#setAside(entry);
    }
  }

  /**
   * For who wants the model only: neither the optimizer's nor the generators' files are looked at. A `last` that the index names and that is
   * gone is the newest whole one.
   * @throws GradloomError CHECKPOINT_MISSING, CHECKPOINT_DAMAGED
   */
  async loadModel(name: CheckpointName): Promise<LoadedCheckpoint> {
    const entry =
      typeof name === 'number'
        ? this.#index.checkpoints.findLast(({ step }) => step === name)
        : this.#entry(this.#index[name]);
    if (entry && (name !== 'last' || this.#isThere(entry))) return this.#load(entry, [modelName, averagesName]);
    for (const other of name === 'last' ? [...this.#index.checkpoints].reverse() : []) {
      try {
        return await this.#load(other, [modelName, averagesName]);
      } catch (thrown) {
        if (GradloomError.from(thrown).code !== 'CHECKPOINT_DAMAGED') throw thrown;
      }
    }
    const there = this.#index.checkpoints.map(({ step }) => step).join(', ');
    const which = typeof name === 'number' ? `a checkpoint of step ${name}` : `a ${name} checkpoint`;
    throw new GradloomError('CHECKPOINT_MISSING', `The run ${path.dirname(this.#base)} has no ${which.slice(2)}`, {
      hint: there === '' ? 'It has saved none yet.' : `It has checkpoints of steps ${there}; \`last\` is the newest.`,
      path: this.#base,
    });
  }

  /** The newest state that can be read, its tensors unseen; null: there is none. */
  async newestState(): Promise<TrainingState | null> {
    for (const entry of [...this.#index.checkpoints].reverse()) {
      const loaded = await this.#load(entry, []).catch(() => null);
      if (loaded) return loaded.state;
    }
    return null;
  }

  /** What a checkpoint is kept as, besides being one of the newest. */
  rolesOf({ folder }: CheckpointEntry): CheckpointRole[] {
    return rolesIn(this.#index, folder);
  }

  get hasBest(): boolean {
    const best = this.#entry(this.#index.best);
    return best !== undefined && this.#isThere(best);
  }

  /**
   * Removes what killed saves left behind, and nothing that somebody else may have put there: our temporary names, and checkpoints that the
   * index does not name. Only for the holder of the run's lock.
   */
  removeLeftovers(): void {
    if (!existsSync(this.#base)) return;
    const named = new Set(this.#index.checkpoints.map(({ folder }) => folder));
    for (const name of readdirSync(this.#base)) {
      if (temporaryPattern.test(name)) rmSync(path.join(this.#base, name), { recursive: true, force: true });
      else if (!named.has(name) && this.#isOurs(name)) this.#remove(name);
    }
  }

  /** Whether a folder is a checkpoint as it was saved: of that name, with all of its files and no others. */
  #isOurs(name: string): boolean {
    const step = folderPattern.exec(name)?.[1];
    if (step === undefined) return false;
    try {
      const folder = path.join(this.#base, name);
      if (!lstatSync(folder).isDirectory()) return false;
      const state = storedSchema.parse(JSON.parse(readFileSync(path.join(folder, stateName), 'utf8')));
      const expected = [...Object.keys(state.files), stateName].sort();
      return state.step === Number(step) && readdirSync(folder).sort().join('/') === expected.join('/');
    } catch {
      return false;
    }
  }

  /** Under a temporary name first: half removed, a checkpoint could no longer be told from what somebody else has put there. */
  #remove(name: string): void {
    const temporary = path.join(this.#base, `${temporaryPrefix}${name}`);
    rmSync(temporary, { recursive: true, force: true });
    try {
      renameSync(path.join(this.#base, name), temporary);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return; // somebody was quicker
      throw thrown;
    }
    rmSync(temporary, { recursive: true, force: true });
  }

  #isThere({ folder }: CheckpointEntry): boolean {
    return existsSync(path.join(this.#base, folder));
  }

  #entry(folder: string | null): CheckpointEntry | undefined {
    return this.#index.checkpoints.find((entry) => entry.folder === folder);
  }

  /** `wanted`: only these files need to be whole; absent: all. */
  async #load(entry: CheckpointEntry, wanted?: readonly string[]): Promise<LoadedCheckpoint> {
    const folder = path.join(this.#base, entry.folder);
    let text: string;
    let stored: z.infer<typeof storedSchema>;
    try {
      text = readFileSync(path.join(folder, stateName), 'utf8');
      stored = storedSchema.parse(JSON.parse(text));
    } catch (thrown) {
      throw damaged(folder, `${stateName} cannot be read`, thrown);
    }
    if (entry.sha256 !== null && sha256OfText(text) !== entry.sha256) throw damaged(folder, `${stateName} has changed`);
    const { files, snapshot: _, initial: __, ...state } = stored;
    for (const [name, expected] of Object.entries(files)) {
      if (wanted && !wanted.includes(name)) continue;
      let found: Fingerprint;
      try {
        found = await fingerprint(path.join(folder, name));
      } catch (thrown) {
        throw damaged(folder, `${name} cannot be read`, thrown);
      }
      if (found.bytes !== expected.bytes) {
        throw damaged(folder, `${name} has ${found.bytes} bytes instead of ${expected.bytes}`);
      }
      if (found.sha256 !== expected.sha256)
        throw damaged(folder, `${name} is not what was written (its SHA-256 differs)`);
    }
    return { entry, folder, state };
  }

  #setAside({ folder }: CheckpointEntry): void {
    const aside = path.join(this.#base, `${damagedPrefix}${folder}`);
    rmSync(aside, { recursive: true, force: true });
    if (existsSync(path.join(this.#base, folder))) renameSync(path.join(this.#base, folder), aside);
    this.#index = without(this.#index, folder);
    replaceJson(path.join(this.#base, indexName), this.#index);
  }

  /** Names what is kept, then removes what no longer is. */
  #writeIndex(written: CheckpointIndex): void {
    const { index, gone } = trimmed(written, this.#keep);
    replaceJson(path.join(this.#base, indexName), index);
    for (const folder of gone) this.#remove(folder);
    this.#index = index;
  }

  #readIndex(): CheckpointIndex | null {
    try {
      return indexSchema.parse(JSON.parse(readFileSync(path.join(this.#base, indexName), 'utf8')));
    } catch {
      return null; // none yet, or damaged
    }
  }

  /** From the folders themselves; which one was best is told by the newest state. */
  #rebuildIndex(): CheckpointIndex {
    const checkpoints: CheckpointEntry[] = [];
    const snapshots: string[] = [];
    let initial: string | null = null;
    let newest: TrainingState | undefined;
    const names = existsSync(this.#base)
      ? readdirSync(this.#base)
          .filter((name) => folderPattern.test(name))
          .sort()
      : [];
    for (const folder of names) {
      try {
        const state = storedSchema.parse(JSON.parse(readFileSync(path.join(this.#base, folder, stateName), 'utf8')));
        checkpoints.push({ folder, step: state.step, epoch: state.epoch, batch: state.batch, sha256: null });
        if (state.snapshot) snapshots.push(folder);
        if (state.initial) initial = folder;
        newest = state;
      } catch {
        // not a whole checkpoint
      }
    }
    const index = indexOf(checkpoints, { snapshots, initial });
    return newest ? asOf(index, newest) : index;
  }

  /** `step-00000320`; a second one at the same step (evaluated since, say) gets a number. */
  #freeName(step: number): string {
    const name = `step-${String(step).padStart(8, '0')}`;
    for (let again = 1; ; again += 1) {
      const candidate = again === 1 ? name : `${name}.${again}`;
      if (!existsSync(path.join(this.#base, candidate))) return candidate;
    }
  }
}

async function fingerprintFolder(folder: string): Promise<Record<string, Fingerprint>> {
  const files: Record<string, Fingerprint> = {};
  for (const name of readdirSync(folder).sort()) {
    const file = path.join(folder, name);
    files[name] = await fingerprint(file);
    try {
      await readSafetensors(file); // whole by its own header: a full disk need not fail the writing
    } catch (thrown) {
      throw damaged(folder, `${name} does not read back whole`, thrown);
    }
  }
  return files;
}

function damaged(folder: string, what: string, cause?: unknown): GradloomError {
  return new GradloomError('CHECKPOINT_DAMAGED', `The checkpoint ${path.basename(folder)} is damaged: ${what}`, {
    hint: 'Resume takes the newest whole one; for other uses another can be named.',
    path: folder,
    cause,
  });
}
