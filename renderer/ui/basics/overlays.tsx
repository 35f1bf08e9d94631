/** Dialogs, menus and tabs: Mantine's, with their words and shortcuts in one place. */
import { Menu as MantineMenu, Tabs as MantineTabs, Modal } from '@mantine/core';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import classes from './overlays.module.css';
import { KeyHint } from './text.tsx';

export interface DialogProps {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  /** Buttons at the foot, the primary one last. */
  actions?: ReactNode;
  size?: number | string;
}

export function Dialog({ opened, onClose, title, children, actions, size = 480 }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size={size} closeButtonProps={{ 'aria-label': 'Close' }}>
      <div className={classes.dialogBody}>{children}</div>
      {actions !== undefined && <footer className={classes.dialogFoot}>{actions}</footer>}
    </Modal>
  );
}

export interface MenuAction {
  label: string;
  run: () => void;
  icon?: ReactNode;
  /** Key combination: `mod+D`. */
  keys?: string | undefined;
  /** Quieter, at the right. */
  hint?: string | undefined;
  danger?: boolean;
  disabled?: boolean;
}

export type MenuItem = MenuAction | { heading: string } | 'divider';

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement;
  items: readonly MenuItem[];
  align?: 'start' | 'end';
  width?: number;
}

export function Menu({ trigger, items, align = 'start', width = 220 }: MenuProps) {
  return (
    <MantineMenu position={`bottom-${align}`} width={width}>
      <MantineMenu.Target>{trigger}</MantineMenu.Target>
      <MantineMenu.Dropdown>
        {items.map((item, index) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: dividers and headings have nothing but their place
          if (item === 'divider') return <MantineMenu.Divider key={index} />;
          if ('heading' in item) return <MantineMenu.Label key={item.heading}>{item.heading}</MantineMenu.Label>;
          const right =
            item.keys !== undefined ? (
              <KeyHint keys={item.keys} />
            ) : (
              <span className={classes.itemHint}>{item.hint}</span>
            );
          return (
            <Fragment key={item.label}>
              <MantineMenu.Item
                leftSection={item.icon}
                rightSection={right}
                disabled={item.disabled ?? false}
                {...(item.danger ? { color: 'red' } : {})}
                onClick={item.run}
              >
                {item.label}
              </MantineMenu.Item>
            </Fragment>
          );
        })}
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
    icon?: ReactNode;
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
          <MantineTabs.Tab key={tab.value} value={tab.value} leftSection={tab.icon} disabled={tab.disabled ?? false}>
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
