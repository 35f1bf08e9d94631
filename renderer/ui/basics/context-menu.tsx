/** A menu at a place on screen: where the pointer asked for it, or at the button that did. */
import { Menu as MantineMenu } from '@mantine/core';
import { createPortal } from 'react-dom';
import { MenuEntries, type MenuItem, nameMenuStart } from './overlays.tsx';

export interface ContextMenuProps {
  /** Names the menu for assistive technology. */
  label: string;
  at: { x: number; y: number };
  items: readonly MenuItem[];
  onClose: () => void;
  width?: number;
}

/** Open for as long as it is drawn. */
export function ContextMenu({ label, at, items, onClose, width = 240 }: ContextMenuProps) {
  return createPortal(
    <MantineMenu
      opened
      onChange={(opened) => !opened && onClose()}
      position="bottom-start"
      offset={2}
      width={width}
      returnFocus={false}
      withInitialFocusPlaceholder={false}
      // A long menu moves up until it is in sight.
      middlewares={{ flip: true, shift: { crossAxis: true, padding: 8 } }}
    >
      <MantineMenu.Target>
        <span aria-hidden style={{ position: 'fixed', left: at.x, top: at.y, width: 0, height: 0 }} />
      </MantineMenu.Target>
      <MantineMenu.Dropdown
        ref={nameMenuStart}
        aria-label={label}
        style={{ maxHeight: 'calc(100vh - 16px)', overflowY: 'auto' }}
        onContextMenu={(event) => event.preventDefault()}
      >
        <MenuEntries items={items} />
      </MantineMenu.Dropdown>
    </MantineMenu>,
    document.body,
  );
}
