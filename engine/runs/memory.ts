/** The memory that a run holds, as its events tell it. */
import type { NativeSession } from '../contract/native.ts';

export async function memoryNow(session: NativeSession, resetPeak: boolean) {
  const { allocated, reserved, peak } = await session.memory({ reset_peak: resetPeak });
  return { allocated, reserved, peak, rss: process.memoryUsage.rss() };
}
