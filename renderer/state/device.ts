/** The device that a new run would take: the project's own wish, else the one remembered in the settings, else the best there is. */
import { chooseDevice } from '../../engine/contract/device-choice.ts';
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
