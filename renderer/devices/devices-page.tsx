/** What there is to compute with: a card for each device, this computer, the versions, and what is missing and why. */
import type { DeviceReport } from '../../engine/contract/wire.ts';
import { deviceNamed } from '../state/device.ts';
import { askDevices, useDevices } from '../state/devices.ts';
import { useSession } from '../state/session.ts';
import { ago, Button, bytes, ErrorNotice, Facts, moment, Page, Panel, Skeleton } from '../ui/index.ts';
import { DeviceCard } from './device-card.tsx';
import styles from './devices.module.css';
import { Findings } from './findings.tsx';
import { GpuNotice, hasGpu } from './gpu-notice.tsx';

export default function DevicesPage() {
  const report = useDevices((state) => state.report);
  const error = useDevices((state) => state.error);
  const asking = useDevices((state) => state.asking);
  const again = (
    <Button loading={asking} onClick={() => void askDevices(true)}>
      Ask again
    </Button>
  );
  return (
    <Page
      title="Devices"
      subtitle={report && <span title={moment(report.asked)}>asked {ago(report.asked)}</span>}
      actions={again}
    >
      {error && <ErrorNotice error={error} />}
      {report ? <Report report={report} /> : !error && <Loading />}
    </Page>
  );
}

function Report({ report }: { report: DeviceReport }) {
  const preferred = useSession((state) => state.settings?.device ?? null);
  const chosen = deviceNamed(preferred, report.devices);
  const gpu = hasGpu(report);
  return (
    <>
      {report.devices.length > 0 && (
        <div className={styles.cards}>
          {report.devices.map((device) => (
            <DeviceCard
              key={device.name}
              device={device}
              threads={device.name === 'cpu' ? (report.versions['CPU threads'] ?? null) : null}
              chosen={device.name === chosen?.name}
            />
          ))}
        </div>
      )}
      {!gpu && <GpuNotice report={report} />}
      <div className={styles.columns}>
        <Findings findings={report.findings} />
        <div className={styles.stack}>
          <Panel title="This computer">
            <Facts
              rows={[
                ['Processor', report.host.cpu],
                ['Logical cores', String(report.host.cores)],
                ['Memory', bytes(report.host.memory_total)],
                ['Free memory', bytes(report.host.memory_free)],
              ]}
            />
          </Panel>
          <Panel title="Versions">
            <Facts rows={versionRows(report)} />
          </Panel>
        </div>
      </div>
    </>
  );
}

/** What the cards show already is left out. */
function versionRows({ versions }: DeviceReport): [string, string][] {
  return Object.entries(versions).filter(([name]) => !name.startsWith('CPU '));
}

function Loading() {
  return (
    <div role="status" aria-label="Asking for devices">
      <div className={styles.cards}>
        <Skeleton height={148} />
      </div>
      <div className={`${styles.columns} ${styles.below}`}>
        <Skeleton height={360} />
        <Skeleton height={240} />
      </div>
    </div>
  );
}
