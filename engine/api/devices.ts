/** `devices`: what there is to compute with. */
import { type Parts, wire } from './parts.ts';

export function deviceCalls({ devices }: Parts) {
  return { list: wire.devices.list.handler(({ input }) => devices.report(input.refresh ?? false)) };
}
