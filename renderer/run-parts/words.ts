/** Words for the parts of a step, as people say them. */
import { capital } from '../ui/format.ts';

/** In the order in which a step does them. */
const phases: readonly { key: string; label: string }[] = [
  { key: 'data', label: 'Waiting for data' },
  { key: 'copy', label: 'Copying to the device' },
  { key: 'forward', label: 'Forward' },
  { key: 'backward', label: 'Backward' },
  { key: 'optimizer', label: 'Optimizer' },
  { key: 'other', label: 'Everything else' },
];

export interface Phase {
  label: string;
  seconds: number;
  /** A series colour: it means nothing but "another part", and stays a phase's own. */
  color: string;
}

const colors = 8;
const grey = 7;

/** The phases that took time, in a step's order; one that is not known here comes last under its own name. */
export function phasesOf(breakdown: Readonly<Record<string, number>>): Phase[] {
  const names = [...new Set([...phases.map(({ key }) => key), ...Object.keys(breakdown)])].filter(
    (key) => key !== 'total' && (breakdown[key] ?? 0) > 0,
  );
  return names.map((key) => {
    const place = phases.findIndex((phase) => phase.key === key);
    return {
      label: phases[place]?.label ?? capital(key.replaceAll('_', ' ')),
      seconds: breakdown[key] as number,
      color: `var(--series-${key === 'other' || place < 0 ? grey : place % colors})`,
    };
  });
}
