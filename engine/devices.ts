/** What there is to compute with, asked of a worker, because the service never loads libtorch; and what is missing, as the doctor says it. */
import os from 'node:os';
import { inspect } from '../native/setup/doctor.mjs';
import { GradloomError } from './contract/errors.ts';
import type { NativeDevice } from './contract/native.ts';
import type { DeviceReport } from './contract/wire.ts';
import { loadAddon } from './native/load.ts';

/** What a worker answers. */
export interface FoundDevices {
  devices: NativeDevice[];
  versions: Record<string, string>;
}

/** In a worker. @throws GradloomError ADDON_MISSING, ADDON_MISMATCH, LIBTORCH_MISSING, LIBTORCH_TOO_OLD */
export function findDevices(): FoundDevices {
  const addon = loadAddon();
  const { libtorch, cpu } = addon.describe();
  return {
    devices: addon.devices(),
    versions: {
      libtorch,
      'CPU instructions': cpu.capability,
      'CPU threads': String(cpu.threads),
      Node: process.versions.node,
    },
  };
}

export class DeviceReports {
  readonly #find: () => Promise<FoundDevices>;
  #asked: Promise<DeviceReport> | null = null;

  constructor(find: () => Promise<FoundDevices>) {
    this.#find = find;
  }

  /** Asked once and remembered; a report without devices is asked for again. */
  report(refresh: boolean): Promise<DeviceReport> {
    if (this.#asked && !refresh) return this.#asked;
    const asked = this.#ask();
    this.#asked = asked;
    const forget = () => {
      if (this.#asked === asked) this.#asked = null;
    };
    asked.then(({ devices }) => devices.length === 0 && forget(), forget);
    return asked;
  }

  async #ask(): Promise<DeviceReport> {
    const [found, report] = await Promise.all([
      this.#find().catch((thrown: unknown) => GradloomError.from(thrown)),
      inspect(),
    ]);
    const failed = found instanceof GradloomError ? found : null;
    const [cpu] = os.cpus();
    return {
      devices: failed ? [] : (found as FoundDevices).devices,
      versions: failed ? { Node: process.versions.node } : (found as FoundDevices).versions,
      host: {
        cpu: cpu?.model ?? 'CPU',
        cores: os.availableParallelism(),
        memory_total: os.totalmem(),
        memory_free: os.freemem(),
      },
      findings: [
        ...(failed
          ? [{ ok: false, title: 'Devices', detail: failed.message, ...(failed.hint ? { hint: failed.hint } : {}) }]
          : []),
        ...report.findings.map(({ name, status, found: detail, path, hint }) => ({
          ok: status === 'ok',
          title: name,
          detail: path === undefined ? detail : `${detail} (${path})`,
          ...(hint === undefined ? {} : { hint }),
        })),
      ],
      asked: new Date().toISOString(),
    };
  }
}
