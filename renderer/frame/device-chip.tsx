/** The device chip: what a run would take, or takes, and how full its memory is. */
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { deviceNamed } from '../state/device.ts';
import { startDevices, useDevices } from '../state/devices.ts';
import { useFollowed, useHead } from '../state/live.ts';
import { usePlan } from '../state/project.ts';
import { useSession } from '../state/session.ts';
import { bytes } from '../ui/index.ts';
import styles from './frame.module.css';
import { useFrameRun } from './live-run.ts';

export function DeviceChip() {
  const [, navigate] = useLocation();
  const report = useDevices((state) => state.report);
  const run = useFrameRun();
  const head = useHead(useFollowed(run?.folder ?? null));
  useEffect(startDevices, []);
  const asked = usePlan()?.project.training.device ?? 'auto';
  const remembered = useSession((state) => state.settings?.device);
  const wanted = run?.summary?.device ?? head?.device ?? (asked === 'auto' ? remembered : asked);
  const device = report ? deviceNamed(wanted, report.devices) : undefined;
  const total = device?.memory_total ?? null;
  const onHost = device?.name === 'cpu';
  const used = head?.memory
    ? onHost
      ? head.memory.rss
      : head.memory.reserved
    : total === null || device?.memory_free == null
      ? null
      : total - device.memory_free;
  const share = used === null || total === null ? 0 : Math.min(1, used / total);
  const whose = head?.memory
    ? `${onHost ? 'the process' : 'the tensors and cache'} of ${run?.name}`
    : 'everything on it';
  const memoryWords = `Device and memory: what ${whose} takes, of all there is`;
  return (
    <button type="button" className={styles.chip} onClick={() => navigate('/devices')} title={memoryWords}>
      <span>{device?.name ?? 'Device…'}</span>
      {total !== null && (
        <>
          <span>
            {used === null ? '–' : bytes(used)} / {bytes(total)} {head?.memory ? 'by the run' : 'in use'}
          </span>
          <svg className={styles.chipMeter} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect width={100 * share} height="10" fill="var(--text-3)" />
          </svg>
        </>
      )}
    </button>
  );
}
