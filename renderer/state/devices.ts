/** What there is to compute with: asked once, and again when a person wants it. */
import { create } from 'zustand';
import type { ErrorInfo } from '../../engine/contract/errors.ts';
import type { DeviceReport } from '../../engine/contract/wire.ts';
import { connection, engine } from '../client/client.ts';
import { infoOf } from './session.ts';

interface Devices {
  report: DeviceReport | null;
  error: ErrorInfo | null;
  asking: boolean;
}

export const useDevices = create<Devices>(() => ({ report: null, error: null, asking: false }));

export async function askDevices(refresh: boolean): Promise<void> {
  if (useDevices.getState().asking) return;
  useDevices.setState({ asking: true });
  try {
    const report = await engine.devices.list({ refresh });
    useDevices.setState({ report, error: null, asking: false });
  } catch (thrown) {
    useDevices.setState({ error: infoOf(thrown), asking: false });
  }
}

/** For `useEffect`: asks as soon as there is an engine to ask. */
export function startDevices(): () => void {
  const ask = () => {
    if (connection.status === 'ready' && !useDevices.getState().report) void askDevices(false);
  };
  ask();
  return connection.onStatus(ask);
}
