/** Why no GPU is offered, as far as the doctor can tell, and what to do about it. */
import type { DeviceReport } from '../../engine/contract/wire.ts';
import { CodeLine, Notice } from '../ui/index.ts';
import { commandIn } from './findings.tsx';

const aboutGpus = /nvidia|cuda|gpu|rocm|metal|xpu/i;

export function hasGpu({ devices }: DeviceReport): boolean {
  return devices.some(({ name }) => name !== 'cpu');
}

export function GpuNotice({ report }: { report: DeviceReport }) {
  const about = report.findings.filter(({ title }) => aboutGpus.test(title));
  const blame = about.find(({ ok }) => !ok) ?? about[0];
  const command = commandIn(blame?.hint);
  return (
    <Notice tone="info" title="No GPU is used: training runs on the processor">
      {blame ? (
        <p>
          {blame.title}: {blame.detail}.{blame.hint !== undefined && command === null && ` ${blame.hint}`}
        </p>
      ) : (
        <p>This computer's libtorch finds none that it can compute with.</p>
      )}
      {blame?.ok === true && (
        <p>
          With an NVIDIA card: install its driver, then ask again. The same projects and runs work on either; only the
          speed differs.
        </p>
      )}
      {command !== null && <CodeLine>{command}</CodeLine>}
    </Notice>
  );
}
