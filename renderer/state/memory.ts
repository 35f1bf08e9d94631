/** What measuring says about the memory of the open project's training: asked anew when the project's text rests. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { MemoryCorrection } from '../../engine/contract/estimate-correction.ts';
import type { MemoryFinding } from '../../engine/contract/finders.ts';
import { engine } from '../client/client.ts';
import { useProjectState } from './project.ts';
import type { Work } from './tasks.ts';

interface Known {
  /** Of which text the answer is, and how often something had been measured by then. */
  key: string;
  correction: MemoryCorrection | null;
  /** The last measurement, and the text that was measured. */
  finding: MemoryFinding | null;
  measured: string;
  times: number;
}

const useKnown = create<Known>(() => ({ key: '', correction: null, finding: null, measured: '', times: 0 }));
const pauseMs = 600;

/** A correction of a network that was changed a moment ago stays until the new answer is there. */
export function useMeasuredMemory(): { correction: MemoryCorrection | null; finding: MemoryFinding | null } {
  const file = useProjectState((state) => state.file);
  const text = useProjectState((state) => state.text);
  const { key: known, correction, finding, measured, times } = useKnown();
  useEffect(() => {
    const key = `${file}\n${times}\n${text}`;
    if (file === null || useKnown.getState().key === key) return;
    const timer = setTimeout(() => void ask(key, { file, text }), pauseMs);
    return () => clearTimeout(timer);
  }, [file, text, times]);
  // That of another project says nothing here.
  const own = file !== null && known.startsWith(`${file}\n`);
  return { correction: own ? correction : null, finding: measured === text ? finding : null };
}

async function ask(key: string, input: { file: string; text: string }): Promise<void> {
  // Several parts of the window want to know it.
  if (useKnown.getState().key === key) return;
  useKnown.setState({ key });
  // A project that cannot be planned has no correction; what is wrong with it is told where it is planned.
  const correction = await engine.find.correction(input).catch(() => null);
  if (useKnown.getState().key === key) useKnown.setState({ correction });
}

export async function measureMemory(work: Work, _: null, signal: AbortSignal): Promise<MemoryFinding> {
  const finding = await engine.find.memory(work, { signal });
  useKnown.setState(({ times }) => ({
    finding,
    measured: work.text,
    times: times + 1,
    correction: finding.correction,
  }));
  return finding;
}
