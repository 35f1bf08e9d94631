// @ts-check
/** The version of NVIDIA's driver, as the Linux kernel tells it and as `nvidia-smi` does. */
import { readFileSync } from 'node:fs';

/** What `nvidia-smi` is asked. */
export const driverQuestion = ['--query-gpu=driver_version', '--format=csv,noheader'];

/**
 * @param {string} answer standard output of `nvidia-smi`
 * @returns {string | null}
 */
export function driverFromAnswer(answer) {
  return /^\d+\.\d+(\.\d+)?/m.exec(answer)?.[0] ?? null;
}

/**
 * @param {string} [file]
 * @returns {string | null} null where there is no such driver, or another system
 */
export function driverFromKernel(file = '/proc/driver/nvidia/version') {
  try {
    // `… Kernel Module  535.104.05 …`, or `… Open Kernel Module for x86_64  580.95.05 …`
    return /Module\D.*?\s(\d+\.\d+(\.\d+)?)/.exec(readFileSync(file, 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}
