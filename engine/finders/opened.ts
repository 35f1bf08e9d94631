/** A session on somebody's project for a finder: its own process and folder, so that no run, file or generator of theirs is touched. */
import { GradloomError } from '../contract/errors.ts';
import type { NativePlan, NativeSession } from '../contract/native.ts';
import type { Plan } from '../contract/plan.ts';
import { loadAddon } from '../native/load.ts';
import { openSession } from '../runs/open.ts';
import {
  chooseHardware,
  nativePlan,
  planRun,
  prepareData,
  readRequested,
  refuseUnknownSettings,
  usedOf,
} from '../runs/prepare.ts';
import type { TrainRequest } from '../runs/types.ts';

interface Opened {
  session: NativeSession;
  native: NativePlan;
  plan: Plan;
}

interface Options {
  /** For the split's indices and converted weights; whoever gives it removes it. */
  folder: string;
  signal: AbortSignal;
  /** Changes what goes to C++. */
  change?: (native: NativePlan) => NativePlan;
  /** Writes files that the changed plan names. */
  prepare?: (native: NativePlan) => Promise<void>;
}

/** @throws GradloomError PROJECT_*, DATA_*, DEVICE_*, WEIGHTS_*, OUT_OF_MEMORY, CANCELLED */
export async function openForFinder(
  request: TrainRequest,
  { folder, signal, change = (native) => native, prepare }: Options,
): Promise<Opened> {
  const planned = await planRun(readRequested(request));
  refuseUnknownSettings(request.set, planned.warnings);
  const { plan } = planned;
  const addon = loadAddon();
  const hardware = chooseHardware(plan, addon, request.threads);
  const data = await prepareData(plan, addon, folder, { signal });
  const written = nativePlan(plan, data, usedOf(hardware));
  const native = change(written);
  await prepare?.(written);
  throwIfCancelled(signal);
  const { session } = await openSession(addon, plan, native, folder, null);
  return { session, native, plan };
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new GradloomError('CANCELLED', 'It was cancelled');
}

/** The optimizer's own learning rate. @throws GradloomError NOT_SUPPORTED where it has none */
export function baseRate({ optimizer }: NativePlan): number {
  const { lr } = optimizer.args;
  if (typeof lr === 'number') return lr;
  throw new GradloomError('NOT_SUPPORTED', `${optimizer.kind} has no learning rate to look for`, {
    path: 'training.optimizer',
  });
}

/** The rates of the next steps; a group with a rate of its own keeps its distance from the optimizer's. */
export function groupsAt(native: NativePlan, rates: readonly number[]): { lr: number[] }[] {
  const base = baseRate(native);
  return native.groups.map(({ lr }) => ({ lr: rates.map((rate) => (base > 0 ? rate * (lr / base) : rate)) }));
}
