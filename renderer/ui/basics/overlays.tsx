/** Dialogs, menus and tabs: Mantine's, with their words and shortcuts in one place. */
import { Menu as MantineMenu, Tabs as MantineTabs, Modal } from '@mantine/core';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { drawIcon, type IconProp } from './icon.tsx';
import { KeyHint } from './keys.tsx';
import classes from './overlays.module.css';

export interface DialogProps {
  /** Without it the dialog is open for as long as it is drawn. */
  opened?: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  /** Buttons at the foot, the primary one last. */
  actions?: ReactNode;
  size?: number | string;
}

/** The window has a banner of its own already. */
const asParts = { header: { role: 'presentation' } };

export function Dialog({ opened = true, onClose, title, children, actions, size = 480 }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': 'Close' }}
      attributes={asParts}
    >
      <div className={classes.dialogBody}>{children}</div>
      {actions !== undefined && <div className={classes.dialogFoot}>{actions}</div>}
    </Modal>
  );
}

export interface MenuAction {
  label: string;
  onClick: () => void;
  icon?: IconProp;
  /** Key combination: `Mod+D`. */
  keys?: string | undefined;
  /** Quieter, at the right. */
  hint?: string | undefined;
  danger?: boolean;
  disabled?: boolean;
}

/** A line between groups, with a heading where it has words. */
export type MenuItem = MenuAction | { divider: string };

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement;
  items: readonly MenuItem[];
  /** Names the menu for assistive technology. */
  label?: string;
  align?: 'start' | 'end';
  width?: number;
}

/** What a menu offers, inside Mantine's dropdown. */
export function MenuEntries({ items }: { items: readonly MenuItem[] }) {
  return items.map((item, index) => {
    if ('divider' in item) {
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing but its place
        <Fragment key={`line ${index}`}>
          {index > 0 && <MantineMenu.Divider />}
          {item.divider !== '' && <MantineMenu.Label>{item.divider}</MantineMenu.Label>}
        </Fragment>
      );
    }
    const right =
      item.keys !== undefined ? (
        <KeyHint keys={item.keys} />
      ) : (
        item.hint !== undefined && <span className={classes.itemHint}>{item.hint}</span>
      );
    return (
      <MantineMenu.Item
        // biome-ignore lint/suspicious/noArrayIndexKey: two projects may have one name
        key={`${item.label} ${index}`}
        leftSection={drawIcon(item.icon)}
        rightSection={right}
        disabled={item.disabled ?? false}
        {...(item.danger ? { color: 'var(--bad-text)' } : {})}
        onClick={item.onClick}
      >
        {item.label}
      </MantineMenu.Item>
    );
  });
}

/**
 * Mantine lets an element without a role take the focus when a menu opens, before any of its items has it; in a menu each must have one.
 */
export function nameMenuStart(menu: HTMLElement | null): void {
  const start = menu?.querySelector('[data-autofocus]');
  start?.setAttribute('role', 'group');
  start?.setAttribute('aria-label', 'Arrow keys choose');
}

export function Menu({ trigger, items, label, align = 'start', width = 240 }: MenuProps) {
  return (
    <MantineMenu position={`bottom-${align}`} width={width} withInitialFocusPlaceholder={false}>
      <MantineMenu.Target>{trigger}</MantineMenu.Target>
      <MantineMenu.Dropdown ref={nameMenuStart} {...(label === undefined ? {} : { 'aria-label': label })}>
        <MenuEntries items={items} />
      </MantineMenu.Dropdown>
    </MantineMenu>
  );
}

export interface TabsProps<V extends string> {
  label: string;
  value: V;
  onChange: (value: V) => void;
  tabs: readonly {
    value: V;
    label: ReactNode;
    icon?: IconProp;
    /** A number beside the label. */
    count?: number | undefined;
    panel?: ReactNode;
    disabled?: boolean;
  }[];
}

/** Tabs; panels are drawn for the one that is shown only. */
export function Tabs<V extends string>({ label, value, onChange, tabs }: TabsProps<V>) {
  return (
    <MantineTabs value={value} onChange={(next) => next !== null && onChange(next as V)} keepMounted={false}>
      <MantineTabs.List aria-label={label}>
        {tabs.map((tab) => (
          <MantineTabs.Tab
            key={tab.value}
            value={tab.value}
            leftSection={drawIcon(tab.icon, 14)}
            disabled={tab.disabled ?? false}
          >
            {tab.label}
            {tab.count !== undefined && <span className={classes.count}>{tab.count}</span>}
          </MantineTabs.Tab>
        ))}
      </MantineTabs.List>
      {tabs
        .filter((tab) => tab.panel !== undefined)
        .map((tab) => (
          <MantineTabs.Panel key={tab.value} value={tab.value} className={classes.panel as string}>
            {tab.panel}
          </MantineTabs.Panel>
        ))}
    </MantineTabs>
  );
}
