/** One device: what it is called, how full its memory is, what it can do. */
import { IconCpu, IconCpu2 } from '@tabler/icons-react';
import type { NativeDevice } from '../../engine/contract/native.ts';
import { bytes, Meter } from '../ui/index.ts';
import styles from './devices.module.css';

export interface DeviceCardProps {
  device: NativeDevice;
  /** Of the processor: how many a run uses by itself. */
  threads: string | null;
  /** Runs whose project says `auto` take this one. */
  chosen: boolean;
}

export function DeviceCard({ device, threads, chosen }: DeviceCardProps) {
  const { name, label, memory_total: total, memory_free: free, capability } = device;
  const Icon = name === 'cpu' ? IconCpu : IconCpu2;
  return (
    <section className={styles.card} aria-label={name}>
      <header className={styles.cardHead}>
        <Icon size={20} stroke={1.6} aria-hidden />
        <div className={styles.names}>
          <h2 className={styles.name}>{name}</h2>
          <div className={styles.label} title={label}>
            {label}
          </div>
        </div>
        {chosen && (
          <span className={styles.chosen} title="Runs whose project says “auto” take this device">
            default
          </span>
        )}
      </header>
      {total === null ? (
        <p className={styles.quiet}>Memory: not available</p>
      ) : free === null ? (
        <p className={styles.quiet}>{bytes(total)} of memory; how much is in use is not available</p>
      ) : (
        <Meter
          label="Memory in use"
          value={total - free}
          max={total}
          format={bytes}
          limitLabel={`${bytes(free)} free of ${bytes(total)}`}
        />
      )}
      <dl className={styles.abilities}>
        {capability !== null && (
          <div>
            <dt>{name.startsWith('cuda') ? 'Compute capability' : 'Instructions'}</dt>
            <dd>{capability}</dd>
          </div>
        )}
        {threads !== null && (
          <div>
            <dt>Threads</dt>
            <dd>{threads}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}
