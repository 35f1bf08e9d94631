/** A device that the project names and this computer does not have. */
import { chooseDevice } from '../../engine/contract/device-choice.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { useDevices } from '../state/devices.ts';
import { change } from '../state/form.ts';
import { Button } from '../ui/index.ts';

/** Its name; null where it is there, or the devices are not known. */
export function useMissingDevice({ project }: Plan): string | null {
  const devices = useDevices((state) => state.report?.devices ?? null);
  const { device } = project.training;
  if (devices === null || device === 'auto') return null;
  try {
    chooseDevice(device, devices);
    return null;
  } catch {
    return device;
  }
}

export function UseAuto() {
  return (
    <Button size="xs" onClick={() => change(['training', 'device'], 'auto')}>
      Use auto
    </Button>
  );
}
