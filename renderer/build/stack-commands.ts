/** Everything that can be done with layers: one table for the menus, the keys, the command palette and the list of shortcuts. */
import {
  IconArrowDown,
  IconArrowsJoin,
  IconArrowsSplit2,
  IconArrowUp,
  IconBox,
  IconBoxMultiple,
  IconBoxOff,
  IconClipboard,
  IconClipboardText,
  IconCopy,
  IconCut,
  IconEyeOff,
  IconFold,
  IconFoldDown,
  IconListCheck,
  IconNote,
  IconPencil,
  IconPlus,
  IconRepeat,
  IconRowInsertBottom,
  IconTarget,
  IconTrash,
} from '@tabler/icons-react';
import { indexOf, lanesOf, listOf } from '../state/stack-paths.ts';
import type { LayerRow } from '../state/stack-rows.ts';
import {
  askFor,
  currentStack,
  duplicateSelected,
  foldAll,
  insertAt,
  layerRow,
  moveSelected,
  removeSelected,
  selectEverything,
  toggleSelected,
  useStackState,
} from '../state/stack-store.ts';
import { goToDefinition, makeBlockOfSelected, separate, unwrap, wrapSelected } from '../state/stack-structure.ts';
import type { IconProp } from '../ui/index.ts';
import { copyByButton, cutByButton, pasteByButton } from './clipboard.ts';

export type CommandGroup = 'Add' | 'Layers' | 'Clipboard' | 'Wrap in' | 'Blocks' | 'Stack';

export interface StackCommand {
  id: string;
  label: string;
  group: CommandGroup;
  icon: IconProp;
  /** As `KeyHint` takes it. */
  keys?: string;
  /** The clipboard's keys are events of their own. */
  keysElsewhere?: true;
  /** Other words by which it is found. */
  keywords?: readonly string[];
  /** What it needs: `one` layer, `some`, a `block`, one `use` of a named block, or nothing. */
  needs: 'nothing' | 'some' | 'one' | 'block' | 'use';
  /** Also where a use has its own definition already, or shows its layers itself? */
  only?: (row: LayerRow) => boolean;
  run: () => void;
}

/** The one layer that is selected. */
function only(): LayerRow | undefined {
  const { selected } = useStackState.getState();
  return selected.size === 1 ? layerRow([...selected][0] ?? null) : undefined;
}

const withOne = (work: (row: LayerRow) => void) => () => {
  const row = only();
  if (row) work(row);
};

export const stackCommands: readonly StackCommand[] = [
  {
    id: 'add',
    label: 'Add a layer',
    group: 'Add',
    icon: IconPlus,
    keys: '/',
    needs: 'nothing',
    run: () => askFor('search'),
  },
  {
    id: 'insert-before',
    label: 'Insert before',
    group: 'Add',
    icon: IconRowInsertBottom,
    keys: 'Alt+/',
    needs: 'one',
    keywords: ['above'],
    run: withOne(({ path }) => insertAt({ list: listOf(path), index: indexOf(path) })),
  },
  {
    id: 'rename',
    label: 'Rename',
    group: 'Layers',
    icon: IconPencil,
    keys: 'F2',
    needs: 'one',
    run: () => askFor('name'),
  },
  {
    id: 'note',
    label: 'Write a note',
    group: 'Layers',
    icon: IconNote,
    keys: 'Shift+F2',
    keywords: ['comment'],
    needs: 'one',
    run: () => askFor('note'),
  },
  {
    id: 'duplicate',
    label: 'Duplicate',
    group: 'Layers',
    icon: IconCopy,
    keys: 'Mod+D',
    needs: 'some',
    run: () => duplicateSelected(),
  },
  {
    id: 'disable',
    label: 'Disable or enable',
    group: 'Layers',
    icon: IconEyeOff,
    keys: 'Space',
    keywords: ['mute', 'skip'],
    needs: 'some',
    run: () => toggleSelected(),
  },
  {
    id: 'up',
    label: 'Move up',
    group: 'Layers',
    icon: IconArrowUp,
    keys: 'Alt+Up',
    needs: 'some',
    run: () => moveSelected(-1),
  },
  {
    id: 'down',
    label: 'Move down',
    group: 'Layers',
    icon: IconArrowDown,
    keys: 'Alt+Down',
    needs: 'some',
    run: () => moveSelected(1),
  },
  {
    id: 'delete',
    label: 'Delete',
    group: 'Layers',
    icon: IconTrash,
    keys: 'Delete',
    keywords: ['remove'],
    needs: 'some',
    run: () => removeSelected(),
  },
  {
    id: 'cut',
    label: 'Cut',
    group: 'Clipboard',
    icon: IconCut,
    keys: 'Mod+X',
    keysElsewhere: true,
    needs: 'some',
    run: () => void cutByButton(),
  },
  {
    id: 'copy',
    label: 'Copy',
    group: 'Clipboard',
    icon: IconClipboard,
    keys: 'Mod+C',
    keysElsewhere: true,
    needs: 'some',
    run: () => void copyByButton(),
  },
  {
    id: 'paste',
    label: 'Paste',
    group: 'Clipboard',
    icon: IconClipboardText,
    keys: 'Mod+V',
    keysElsewhere: true,
    needs: 'nothing',
    run: () => void pasteByButton(),
  },
  {
    id: 'wrap-residual',
    label: 'Residual',
    group: 'Wrap in',
    icon: IconArrowsJoin,
    keys: 'Alt+R',
    needs: 'some',
    run: () => wrapSelected('Residual'),
  },
  {
    id: 'wrap-parallel',
    label: 'Parallel',
    group: 'Wrap in',
    icon: IconArrowsSplit2,
    keys: 'Alt+P',
    needs: 'some',
    run: () => wrapSelected('Parallel'),
  },
  {
    id: 'wrap-repeat',
    label: 'Repeat',
    group: 'Wrap in',
    icon: IconRepeat,
    keys: 'Alt+T',
    keywords: ['times', 'loop'],
    needs: 'some',
    run: () => wrapSelected('Repeat'),
  },
  {
    id: 'wrap-block',
    label: 'Named block',
    group: 'Wrap in',
    icon: IconBox,
    keys: 'Mod+G',
    keywords: ['group', 'reuse'],
    needs: 'some',
    run: () => makeBlockOfSelected(),
  },
  {
    id: 'unwrap',
    label: 'Unwrap',
    group: 'Blocks',
    icon: IconBoxOff,
    keys: 'Mod+Shift+G',
    keywords: ['ungroup'],
    needs: 'block',
    run: withOne(({ key }) => unwrap(key)),
  },
  {
    id: 'separate',
    label: 'Make an independent copy',
    group: 'Blocks',
    icon: IconBoxMultiple,
    keywords: ['named block', 'own definition', 'detach'],
    needs: 'use',
    only: ({ uses }) => uses > 1,
    run: withOne(({ key }) => separate(key)),
  },
  {
    id: 'definition',
    label: 'Go to its layers',
    group: 'Blocks',
    icon: IconTarget,
    keywords: ['named block', 'definition'],
    needs: 'use',
    only: ({ elsewhere }) => elsewhere,
    run: withOne(({ key }) => goToDefinition(key)),
  },
  {
    id: 'all',
    label: 'Select all layers',
    group: 'Stack',
    icon: IconListCheck,
    keys: 'Mod+A',
    needs: 'nothing',
    run: selectEverything,
  },
  {
    id: 'fold-all',
    label: 'Fold all blocks',
    group: 'Stack',
    icon: IconFold,
    keys: 'Shift+Left',
    keywords: ['collapse'],
    needs: 'nothing',
    run: () => foldAll(true),
  },
  {
    id: 'unfold-all',
    label: 'Unfold all blocks',
    group: 'Stack',
    icon: IconFoldDown,
    keys: 'Shift+Right',
    keywords: ['expand'],
    needs: 'nothing',
    run: () => foldAll(false),
  },
];

/** Whether there is now what a command needs. */
export function canRun({ needs, only: also = () => true }: StackCommand): boolean {
  if (needs === 'nothing') return true;
  const { selected } = useStackState.getState();
  if (needs === 'some') return currentStack().rows.some((row) => row.type === 'layer' && selected.has(row.key));
  const row = only();
  if (!row || !also(row)) return false;
  const use = row.kind === 'Block' && row.uses > 0;
  return needs === 'one' || (needs === 'use' ? use : use || lanesOf(row.layer).length > 0);
}

/** As a list or palette names it outside of its group. */
export function fullLabel({ group, label }: StackCommand): string {
  return group === 'Wrap in' ? `Wrap in ${/^[A-Z][a-z]+$/.test(label) ? label : label.toLowerCase()}` : label;
}

type Key = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** A key event as the table writes its keys. With Alt some desktops make another letter of a letter: the key itself counts. */
function keysOf({ key, code, shiftKey, ctrlKey, metaKey, altKey }: Key): string {
  const own = altKey && /^Key[A-Z]$/.test(code) ? code.slice(3) : altKey && code === 'Slash' ? '/' : key;
  const names: { [key: string]: string } = { ' ': 'Space', Backspace: 'Delete' };
  const name = names[own] ?? own.replace(/^Arrow/, '');
  const parts = [(ctrlKey || metaKey) && 'Mod', altKey && 'Alt', shiftKey && 'Shift'];
  return [...parts.filter(Boolean), name.length === 1 ? name.toUpperCase() : name].join('+');
}

/** The command of a key, with what it needs or not; undefined: the key means none. */
export function commandOf(event: Key): StackCommand | undefined {
  const keys = keysOf(event);
  return stackCommands.find((command) => command.keys === keys && command.keysElsewhere !== true);
}
