/** Undo and redo of what another page shows say so: a step that changes nothing in sight would seem to be skipped. */
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { pageOf } from '../state/problems.ts';
import { useLastStep } from '../state/project.ts';
import { dismissToast, tell, useSession } from '../state/session.ts';
import { pages } from './pages.ts';

export function useUndoNotice(): void {
  const [location, navigate] = useLocation();
  const step = useLastStep();
  const told = useRef(step.times);
  useEffect(() => {
    if (told.current === step.times) return;
    told.current = step.times;
    if (step.place === '' || step.place === 'name') return;
    const path = `/${pageOf({ path: step.place })}`;
    const page = pages.find((each) => each.path === path);
    if (!page || location === path) return;
    const message = `${step.kind === 'undone' ? 'Undone' : 'Redone'} on the page ${page.label}`;
    // Of many steps in a row the last one is told.
    const { toasts } = useSession.getState();
    for (const toast of toasts) if (toast.message === message) dismissToast(toast.id);
    tell({
      tone: 'info',
      message,
      hint: step.place,
      action: { label: 'Show', run: () => navigate(path) },
    });
  }, [step, location, navigate]);
}
