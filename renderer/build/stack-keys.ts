/** The stack's keys. */
import type { StackRow } from '../state/stack-rows.ts';
import { isStop } from '../state/stack-select.ts';
import {
  askFor,
  clearSelection,
  currentStack,
  fold,
  goBy,
  goTo,
  passBy,
  select,
  useStackState,
} from '../state/stack-store.ts';
import { canRun, commandOf } from './stack-commands.ts';

type Key = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

const far = 10_000;
const page = 8;

/** Does what a key means in the stack; answers whether it means something. */
export function pressInStack(event: Key, menu: () => void): boolean {
  const { key, shiftKey: shift, altKey: alt } = event;
  const command = commandOf(event);
  if (command) {
    if (canRun(command)) command.run();
    return true;
  }
  if (alt) return false;
  if (event.ctrlKey || event.metaKey) return pressWithMod(key);
  const steps: Record<string, number> = {
    ArrowUp: -1,
    ArrowDown: 1,
    PageUp: -page,
    PageDown: page,
    Home: -far,
    End: far,
  };
  const by = steps[key];
  if (by !== undefined) {
    goBy(by, shift);
    return true;
  }
  const { active } = useStackState.getState();
  const { rows } = currentStack();
  const row = rows.find((each) => each.key === active);
  switch (key) {
    case 'ArrowLeft':
      return left(rows, row);
    case 'ArrowRight':
      return right(rows, row);
    case 'Enter':
      askFor('first');
      return true;
    case 'Escape':
      clearSelection();
      return true;
    case 'ContextMenu':
      menu();
      return true;
    case 'F10':
      if (shift) menu();
      return shift;
    default:
      return false;
  }
}

/** To choose several that do not stand together: the keyboard passes by, and takes the row that it is at in or out. */
function pressWithMod(key: string): boolean {
  const { active } = useStackState.getState();
  switch (key) {
    case 'ArrowUp':
    case 'ArrowDown':
      passBy(key === 'ArrowUp' ? -1 : 1);
      return true;
    case ' ':
      if (active !== null) select(active, { toggle: true });
      return true;
    default:
      return false;
  }
}

/** Folds a block, else goes out to the one around it. */
function left(rows: readonly StackRow[], row: StackRow | undefined): boolean {
  if (!row) return false;
  if (row.type === 'layer' && row.folded === false) fold(row.key, true);
  else {
    const around = rows.slice(0, rows.indexOf(row)).findLast((each) => each.type === 'layer' && each.depth < row.depth);
    if (around) goTo(around.key);
  }
  return true;
}

/** Unfolds a block, else goes to the first layer in it. */
function right(rows: readonly StackRow[], row: StackRow | undefined): boolean {
  if (row?.type !== 'layer' || row.folded === null) return row !== undefined;
  if (row.folded) fold(row.key, false);
  else {
    const inside = rows.slice(rows.indexOf(row) + 1).find(isStop);
    if (inside && inside.depth > row.depth) goTo(inside.key);
  }
  return true;
}
