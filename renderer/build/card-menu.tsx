/** Menus of the stack: what can be done with the selected layers, and at a place between them. */
import { IconArrowBackUp, IconArrowForwardUp, IconPlus, IconX } from '@tabler/icons-react';
import { redo, undo, useHistory } from '../state/project.ts';
import type { Gap } from '../state/stack-paths.ts';
import type { StackRow } from '../state/stack-rows.ts';
import { insertAt, layerRow, useStackState } from '../state/stack-store.ts';
import { addBranchTo, removeLane } from '../state/stack-structure.ts';
import { ContextMenu, type MenuItem } from '../ui/index.ts';
import { pasteByButton } from './clipboard.ts';
import { type CommandGroup, canRun, type StackCommand, stackCommands } from './stack-commands.ts';

/** What a menu is about: the selected layers, or a place between layers, at a row. */
export type MenuSubject = { id: string } | { gap: Gap; row: StackRow | undefined };

export interface StackMenuProps {
  subject: MenuSubject;
  at: { x: number; y: number };
  onClose: () => void;
}

export function StackMenu({ subject, at, onClose }: StackMenuProps) {
  return 'id' in subject ? (
    <CardMenu id={subject.id} at={at} onClose={onClose} />
  ) : (
    <PlaceMenu {...subject} at={at} onClose={onClose} />
  );
}

const itemOf = ({ label, icon, keys, id, run }: StackCommand): MenuItem => ({
  label,
  icon,
  keys,
  danger: id === 'delete',
  onClick: run,
});

function itemsOf(group: CommandGroup): MenuItem[] {
  return stackCommands.filter((command) => command.group === group && canRun(command)).map(itemOf);
}

function CardMenu({ id, at, onClose }: { id: string; at: StackMenuProps['at']; onClose: () => void }) {
  const several = useStackState((state) => state.selected.size > 1);
  const row = layerRow(id);
  if (!row) return null;
  const layers = itemsOf('Layers').filter((item) => !('label' in item && item.label.startsWith('Move ')));
  const words = new Map([
    ['Disable or enable', row.disabled ? 'Enable' : 'Disable'],
    ['Unwrap', `Unwrap ${row.kind}`],
    ['Paste', 'Paste after'],
  ]);
  const last = layers.pop();
  const blocks = itemsOf('Blocks');
  const items = [
    ...layers,
    { divider: '' },
    ...itemsOf('Add').filter((item) => 'label' in item && item.label === 'Insert before'),
    ...itemsOf('Clipboard'),
    { divider: 'Wrap in' },
    ...itemsOf('Wrap in'),
    ...(blocks.length > 0 ? [{ divider: '' }, ...blocks] : []),
    { divider: '' },
    ...(last ? [last] : []),
  ].map((item) => ('label' in item ? { ...item, label: words.get(item.label) ?? item.label } : item));
  return (
    <ContextMenu label={several ? 'Selected layers' : row.kind} at={at} items={items} onClose={onClose} width={244} />
  );
}

function PlaceMenu({
  gap,
  row,
  at,
  onClose,
}: { gap: Gap; row: StackRow | undefined } & Omit<StackMenuProps, 'subject'>) {
  const { canUndo, canRedo } = useHistory();
  const owner = row && 'owner' in row ? layerRow(row.owner) : undefined;
  const items: MenuItem[] = [
    { label: 'Insert here', icon: IconPlus, keys: '/', onClick: () => insertAt(gap) },
    ...stackCommands
      .filter(({ id }) => id === 'paste')
      .map((command) => ({ ...itemOf(command), label: 'Paste here', onClick: () => void pasteByButton(gap) })),
    ...(owner?.kind === 'Parallel'
      ? [{ label: 'Add a branch', icon: IconPlus, onClick: () => addBranchTo(owner.key) }]
      : []),
    ...(row?.type === 'lane' && row.removable
      ? [{ label: `Remove the ${row.lane}`, icon: IconX, danger: true, onClick: () => removeLane(row.list) }]
      : []),
    { divider: '' },
    ...itemsOf('Stack'),
    { divider: '' },
    { label: 'Undo', icon: IconArrowBackUp, keys: 'Mod+Z', disabled: !canUndo, onClick: undo },
    { label: 'Redo', icon: IconArrowForwardUp, keys: 'Mod+Shift+Z', disabled: !canRedo, onClick: redo },
  ];
  return <ContextMenu label="This place" at={at} items={items} onClose={onClose} width={244} />;
}
