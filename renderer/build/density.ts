/** How close the stack's rows stand: a choice that is kept, or what suits the network that was opened. */
import { createContext, useState } from 'react';
import { useKept } from '../run-parts/kept.ts';
import { useProjectState } from '../state/project.ts';

export type Density = 'roomy' | 'compact';

/** Of a network of more layers than these close rows show more than they take. */
const manyLayers = 40;

/** With close rows a tensor's shape is told in the card that answers it, and its ribbon is a band. */
export const StackDensity = createContext<Density>('roomy');

/** Decided once for a file: the rows stay where they are while layers are added. `layers`: how many there are now. */
export function useDensity(layers: number): [Density, (density: Density) => void] {
  const [chosen, choose] = useKept<Density | 'auto'>('build.density', 'auto', isDensity);
  const file = useProjectState((state) => state.file);
  const suits: Density = layers > manyLayers ? 'compact' : 'roomy';
  const [opened, setOpened] = useState({ file, suits });
  if (opened.file !== file) setOpened({ file, suits });
  return [chosen === 'auto' ? opened.suits : chosen, choose];
}

function isDensity(value: unknown): boolean {
  return value === 'roomy' || value === 'compact';
}
