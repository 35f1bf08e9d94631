/** What the bench of data runs of the engine, in a process of its own: packs a project's data and writes its native plan. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { NativePlan } from '../../engine/contract/native.ts';
import { packSource } from '../../engine/data/pack.ts';
import { makeSplits } from '../../engine/data/split.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { nativePlan, planRun } from '../../engine/runs/prepare.ts';

/** `file` names the plan to write, `folder` takes the pack. Answers what the import took: wall and processor seconds. */
export async function importData(project: object, file: string, folder: string) {
  const text = JSON.stringify(project);
  const { plan } = await planRun({ text, baseDir: folder, label: 'the bench' });
  const { source, split } = plan.project.data;
  if (!source) throw new Error('The bench’s projects have a source');
  const addon = loadAddon();
  const [began, busy] = [performance.now(), process.cpuUsage()];
  const pack = await packSource(source, '/', { cacheDir: folder, addon, split });
  const { user, system } = process.cpuUsage(busy);
  const seconds = (performance.now() - began) / 1000;
  mkdirSync(path.dirname(file), { recursive: true });
  const { splits, hash } = await makeSplits(pack, split, addon, path.dirname(file));
  const data = {
    splits,
    parts: pack.parts,
    facts: pack.facts,
    data_hash: pack.hash,
    split_hash: hash,
    encoding: pack.encoding,
    fitted: [],
    notes: [],
  };
  const native = nativePlan(plan, data, { device: 'cpu', precision: 'fp32', threads: 1 });
  writeFileSync(file, JSON.stringify(native));
  return { seconds, cpu: (user + system) / 1e6, samples: splits.train.count };
}

/**
 * Writes two native plans of one network on the same sequences, most of them much shorter than the longest: `whole` and `bucketed`. Answers
 * their paths and which share of the positions is no padding.
 */
export async function sequencePlans(folder: string) {
  const [samples, longest, tokens] = [2048, 160, 1000];
  const project = {
    gradloom: 1,
    data: {
      source: { kind: 'random', shape: [longest], tokens, classes: 4, samples },
      split: { val: 0 },
      loader: { batch_size: 32, bucket_by_length: true },
    },
    model: {
      layers: [
        { kind: 'Embedding', num_embeddings: tokens, embedding_dim: 32, padding_idx: 0, mask_padding: true },
        { kind: 'TransformerEncoderLayer', nhead: 4, dim_feedforward: 64 },
        { kind: 'MeanOverSequence' },
        { kind: 'Linear', out_features: 4 },
      ],
    },
  };
  const paths = { whole: path.join(folder, 'whole.json'), bucketed: path.join(folder, 'bucketed.json') };
  await importData(project, paths.bucketed, folder);
  const plan = JSON.parse(readFileSync(paths.bucketed, 'utf8')) as NativePlan;
  const rows = new BigInt64Array(samples * longest);
  let used = 0;
  for (let row = 0; row < samples; row++) {
    const length = 8 + Math.floor((longest - 8) * ((row * 0.618034) % 1) ** 2.5);
    used += length;
    for (let i = 0; i < length; i++) rows[row * longest + i] = BigInt(1 + ((row * 31 + i * 7) % (tokens - 1)));
  }
  const input = plan.data.parts.train?.input;
  if (!input) throw new Error('The random source has a training part');
  input.path = path.join(folder, 'sequences');
  writeFileSync(input.path, rows);
  writeFileSync(paths.bucketed, JSON.stringify(plan));
  writeFileSync(paths.whole, JSON.stringify({ ...plan, loader: { ...plan.loader, padding: null } }));
  return { ...paths, used: used / rows.length };
}

/** Where the program is that pulls batches without a network. */
export { nativeFiles } from '../../engine/native/load.ts';
