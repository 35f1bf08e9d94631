/** Everything that can be done with the selected layers, as a menu. */
import {
  IconArrowsJoin,
  IconArrowsSplit2,
  IconBox,
  IconBoxOff,
  IconClipboard,
  IconCopy,
  IconCut,
  IconEye,
  IconEyeOff,
  IconPencil,
  IconRepeat,
  IconTrash,
} from '@tabler/icons-react';
import { lanesOf } from '../state/stack-paths.ts';
import {
  duplicateSelected,
  layerRow,
  makeBlockOfSelected,
  removeSelected,
  toggleSelected,
  unwrap,
  useStackState,
  wrapSelected,
} from '../state/stack-store.ts';
import { ContextMenu, type MenuItem } from '../ui/index.ts';
import { copyByButton, cutByButton, pasteByButton } from './clipboard.ts';

export function CardMenu({
  id,
  at,
  onClose,
  onRename,
}: {
  id: string;
  at: { x: number; y: number };
  onClose: () => void;
  onRename: () => void;
}) {
  const several = useStackState((state) => state.selected.size > 1 && state.selected.has(id));
  const row = layerRow(id);
  if (!row) return null;
  const block = lanesOf(row.layer).length > 0 || row.kind === 'Block';
  const items: MenuItem[] = [
    ...(several ? [] : [{ label: 'Rename', icon: IconPencil, keys: 'F2', onClick: onRename }]),
    { label: 'Duplicate', icon: IconCopy, keys: 'Mod+D', onClick: () => duplicateSelected(id) },
    {
      label: row.disabled ? 'Enable' : 'Disable',
      icon: row.disabled ? IconEye : IconEyeOff,
      keys: 'Space',
      onClick: () => toggleSelected(id),
    },
    { divider: '' },
    { label: 'Cut', icon: IconCut, keys: 'Mod+X', onClick: () => void cutByButton() },
    { label: 'Copy', icon: IconClipboard, keys: 'Mod+C', onClick: () => void copyByButton() },
    { label: 'Paste after', icon: IconClipboard, keys: 'Mod+V', onClick: () => void pasteByButton() },
    { divider: 'Wrap in' },
    { label: 'Residual', icon: IconArrowsJoin, onClick: () => wrapSelected('Residual', id) },
    { label: 'Parallel', icon: IconArrowsSplit2, onClick: () => wrapSelected('Parallel', id) },
    { label: 'Repeat', icon: IconRepeat, onClick: () => wrapSelected('Repeat', id) },
    { label: 'Named block', icon: IconBox, onClick: () => makeBlockOfSelected(id) },
    ...(block && !several ? [{ label: `Unwrap ${row.kind}`, icon: IconBoxOff, onClick: () => unwrap(id) }] : []),
    { divider: '' },
    { label: 'Delete', icon: IconTrash, keys: 'Delete', danger: true, onClick: () => removeSelected(id) },
  ];
  return (
    <ContextMenu label={several ? 'Selected layers' : row.kind} at={at} items={items} onClose={onClose} width={230} />
  );
}
