/** Leads to a problem: its page, its layer, and the keyboard to what mends it, so that Enter does. */
import { useCallback } from 'react';
import { useLocation } from 'wouter';
import type { Problem } from '../../engine/contract/problems.ts';
import { pageOf } from '../state/problems.ts';
import { showLayerAt } from '../state/stack-structure.ts';

/** A page that is opened for it is drawn by then. */
const patienceMs = 1500;

export function useShowProblem(): (problem: Problem) => void {
  const [, navigate] = useLocation();
  return useCallback(
    (problem) => {
      navigate(`/${pageOf(problem)}`);
      showLayerAt(problem.path);
      seek(problem, performance.now() + patienceMs);
    },
    [navigate],
  );
}

/** Once the layer has taken the keyboard, that is after the next frame. */
function seek(problem: Problem, until: number): void {
  requestAnimationFrame(() => {
    const place = placeOf(problem);
    if (place) point(place);
    else if (performance.now() < until) seek(problem, until);
  });
}

/** Its first fix; where it has none, its words. */
function placeOf({ path, fixes: [first] }: Problem): HTMLElement | null {
  const notes = [...document.querySelectorAll<HTMLElement>('[data-problem-at]')];
  const note = notes.find((each) => each.dataset.problemAt === path) ?? null;
  if (!first) return note;
  const buttons = [...(note ?? document).querySelectorAll('button')];
  return buttons.find(({ textContent }) => textContent?.trim() === first.label) ?? note;
}

function point(place: HTMLElement): void {
  if (place.tagName !== 'BUTTON') place.tabIndex = -1;
  place.scrollIntoView({ block: 'nearest' });
  place.focus({ preventScroll: true });
  // A focus that follows a click shows nothing by itself. Colour alone: nothing moves.
  place.animate?.(
    [{ outline: '2px solid var(--accent)', outlineOffset: '2px' }, { outline: '2px solid transparent' }],
    {
      duration: 1600,
      easing: 'ease-in',
    },
  );
}
