/** What there is to compute with and what is missing: asked in a worker, because the service never loads libtorch nor lets a window wait. */
import os from 'node:os';
import { inspect } from '../native/setup/doctor.mjs';
import { GradloomError } from './contract/errors.ts';
import type { DeviceReport } from './contract/wire.ts';
import { loadAddon } from './native/load.ts';

/** In a worker. Without an addon that can be loaded there are no devices, and a finding says why. */
export async function describeDevices(): Promise<DeviceReport> {
  const found = findDevices();
  const { findings } = await inspect();
  const [cpu] = os.cpus();
  return {
    devices: found instanceof GradloomError ? [] : found.devices,
    versions: { ...(found instanceof GradloomError ? {} : found.versions), Node: process.versions.node },
    host: {
      cpu: cpu?.model ?? 'CPU',
      cores: os.availableParallelism(),
      memory_total: os.totalmem(),
      memory_free: os.freemem(),
    },
    findings: [
      ...(found instanceof GradloomError
        ? [{ ok: false, title: 'Devices', detail: found.message, ...(found.hint ? { hint: found.hint } : {}) }]
        : []),
      ...findings.map(({ name, status, found: detail, path, hint }) => ({
        ok: status === 'ok',
        title: name,
        detail: path === undefined ? detail : `${detail} (${path})`,
        ...(hint === undefined ? {} : { hint }),
      })),
    ],
    asked: new Date().toISOString(),
  };
}

function findDevices(): Pick<DeviceReport, 'devices' | 'versions'> | GradloomError {
  try {
    const addon = loadAddon();
    const { libtorch, cpu } = addon.describe();
    const versions = { libtorch, 'CPU instructions': cpu.capability, 'CPU threads': String(cpu.threads) };
    return { devices: addon.devices(), versions };
  } catch (thrown) {
    return GradloomError.from(thrown);
  }
}

export class DeviceReports {
  readonly #ask: () => Promise<DeviceReport>;
  #asked: Promise<DeviceReport> | null = null;

  constructor(ask: () => Promise<DeviceReport>) {
    this.#ask = ask;
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
}
