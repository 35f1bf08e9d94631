/** What is known of the memory that a run of the open project would take, on the device that it would take. */
import { useEffect, useState } from 'react';
import type { Choice } from '../../engine/contract/device-choice.ts';
import type { NativeDevice } from '../../engine/contract/native.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { takenDevice } from './device.ts';
import { startDevices, useDevices } from './devices.ts';
import { useMeasuredMemory } from './memory.ts';
import { expectedMemory, type Fit, fitOf, type Room, roomOn, type Way, waysToFit } from './memory-fit.ts';
import { currentProject, usePlan, useProjectState } from './project.ts';
import { useSession } from './session.ts';

export interface MemoryOutlook {
  plan: Plan;
  /** Whether devices have been asked for. */
  asked: boolean;
  taken: Choice | null;
  device: NativeDevice | null;
  /** null where the device does not tell what it has. */
  room: Room | null;
  /** The estimate, corrected where something was measured on the device. */
  expected: ReturnType<typeof expectedMemory>;
  /** null where nothing is known of the device's memory. */
  fit: Fit | null;
}

/** null where nothing is known of the network's. */
export function useMemoryOutlook(): MemoryOutlook | null {
  const plan = usePlan();
  const report = useDevices((state) => state.report);
  const preferred = useSession((state) => state.settings?.device ?? null);
  const { correction } = useMeasuredMemory();
  useEffect(startDevices, []);
  if (!plan || plan.output.length === 0 || plan.layers.length === 0) return null;
  const taken = report && takenDevice(plan.project.training.device, preferred, report.devices);
  const device = report?.devices.find(({ name }) => name === taken?.value) ?? null;
  const room = report && roomOn(device ?? undefined, report.host);
  const expected = expectedMemory(plan.memory.total, correction?.device === taken?.value ? correction : null);
  return { plan, asked: report !== null, taken, device, room, expected, fit: room && fitOf(expected.value, room) };
}

/** Several plans are made for them: only when the project rests. */
const restMs = 250;
const none: readonly Way[] = [];

/** What would make it fit, or less tight. Those that were stay until the new ones are known. */
export function useWaysToFit(outlook: MemoryOutlook | null): readonly Way[] {
  const facts = useProjectState((state) => state.facts);
  const { correction } = useMeasuredMemory();
  const [ways, setWays] = useState(none);
  const { plan, device, room, taken, fit } = outlook ?? {};
  const wanted = fit === 'tight' || fit === 'too large';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the room is made anew each time, its numbers are not
  useEffect(() => {
    if (!wanted || !plan || !device || !room) return;
    const timer = setTimeout(() => {
      const { project } = currentProject().view;
      const own = correction?.device === taken?.value ? correction : null;
      if (project) setWays(waysToFit({ project, plan, facts, device, room, correction: own }));
    }, restMs);
    return () => clearTimeout(timer);
  }, [wanted, plan, facts, device, room?.free, room?.total, correction, taken?.value]);
  return wanted ? ways : none;
}
