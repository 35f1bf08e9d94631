/** The first click into a number's field selects the number, as the keyboard's way there does: what is typed next replaces it. */
import type { MouseEvent } from 'react';

let entered: EventTarget | null = null;

/** For an input: a second click places the caret, and who drags over some digits keeps those. */
export const selectOnFirstClick = {
  onMouseDown: ({ currentTarget }: MouseEvent<HTMLInputElement>): void => {
    entered = document.activeElement === currentTarget ? null : currentTarget;
  },
  onClick: ({ currentTarget }: MouseEvent<HTMLInputElement>): void => {
    const { selectionStart, selectionEnd } = currentTarget;
    if (entered === currentTarget && selectionStart === selectionEnd) currentTarget.select();
    entered = null;
  },
};
