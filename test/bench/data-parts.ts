/** What the bench of data runs of the engine, in a process of its own: packs a project's data and writes its native plan. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
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
    notes: [],
  };
  const native = nativePlan(plan, data, { device: 'cpu', precision: 'fp32', threads: 1 });
  writeFileSync(file, JSON.stringify(native));
  return { seconds, cpu: (user + system) / 1e6, samples: splits.train.count };
}

/** Where the program is that pulls batches without a network. */
export { nativeFiles } from '../../engine/native/load.ts';
