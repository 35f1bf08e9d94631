/** The device that a new run would take: the project's own wish, else the one remembered in the settings, else the best there is. */
import { type Choice, chooseDevice } from '../../engine/contract/device-choice.ts';
import type { NativeDevice } from '../../engine/contract/native.ts';

/** The device of a name or of `auto`; the best there is where that one is not there; undefined where there is none at all. */
export function deviceNamed(wanted: string | null | undefined, devices: NativeDevice[]): NativeDevice | undefined {
  const find = (asked: string) => devices.find(({ name }) => name === chooseDevice(asked, devices).value);
  try {
    return find(wanted ?? 'auto');
  } catch {
    return find('auto');
  }
}

/** The device that a run would get, and why; null where there is none such. `preferred`: the one remembered in the settings. */
export function takenDevice(asked: string, preferred: string | null, devices: NativeDevice[]): Choice | null {
  try {
    return chooseDevice(asked === 'auto' ? (preferred ?? asked) : asked, devices);
  } catch {
    return null;
  }
}
