/** A template as a session of the addon, on as little of its data as a few steps take. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plan } from '../../engine/contract/plan.ts';
import { editProject, readProject } from '../../engine/contract/project.ts';
import { loadAddon } from '../../engine/native/load.ts';
import { nativePlan, planRun, prepareData } from '../../engine/runs/prepare.ts';
import { constantGroups } from '../conformance/random-session.ts';

const folder = path.resolve('assets/templates');

/** Its plan with this batch size; random data are cut to so many samples. */
export async function templatePlan(name: string, batch: number, samples: number): Promise<Plan> {
  const label = `${name}.gradloom.json`;
  const text = readFileSync(path.join(folder, label), 'utf8');
  const { data } = readProject(text).project as { data: { source: { kind: string } } };
  const small = editProject(text, [
    { op: 'set', path: ['data', 'loader', 'batch_size'], value: batch },
    { op: 'set', path: ['data', 'loader', 'num_workers'], value: 0 },
    ...(data.source.kind === 'random'
      ? [
          { op: 'set' as const, path: ['data', 'source', 'samples'], value: samples },
          { op: 'set' as const, path: ['data', 'split', 'val'], value: 0 },
        ]
      : []),
  ]);
  return (await planRun({ text: small, baseDir: folder, label })).plan;
}

/** `files`: where the data and the splits go. */
export async function openTemplate(plan: Plan, files: string) {
  const addon = loadAddon();
  const data = await prepareData(plan, addon, files);
  const native = nativePlan(plan, data, { device: 'cpu', precision: 'fp32', threads: 2 });
  return { session: await addon.createSession(JSON.stringify(native)), data };
}

/** The loss of each of so many steps. */
export async function trainTemplate(name: string, batch: number, steps: number, files: string): Promise<number[]> {
  const plan = await templatePlan(name, batch, batch * steps);
  const { session } = await openTemplate(plan, files);
  try {
    const request = { epoch: 0, batch: 0, steps, groups: constantGroups(plan, steps) };
    return [...(await session.trainSteps(request)).columns.loss];
  } finally {
    await session.close();
  }
}
