/** Buttons with more manners than Mantine's: icons that always say what they do, choices side by side. */
import { ActionIcon, Button as MantineButton, SegmentedControl, Tooltip } from '@mantine/core';
import type { MouseEvent, ReactNode, Ref } from 'react';
import classes from './buttons.module.css';
import { drawIcon, type IconProp } from './icon.tsx';
import { KeyHint } from './keys.tsx';

export interface IconButtonProps {
  /** Tooltip and accessible name. */
  label: string;
  icon: IconProp;
  onClick?: ((event: MouseEvent<HTMLButtonElement>) => void) | undefined;
  /** Key combination shown in the tooltip: `mod+Z`. */
  keys?: string | undefined;
  size?: number;
  disabled?: boolean | undefined;
  /** Pressed, for toggles. */
  active?: boolean | undefined;
  danger?: boolean;
  ref?: Ref<HTMLButtonElement> | undefined;
}

/** A button of an icon alone. A disabled one can still be asked what it is. */
export function IconButton({
  label,
  icon,
  onClick,
  keys,
  size = 28,
  disabled,
  active,
  danger,
  ref,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip
      label={
        keys === undefined ? (
          label
        ) : (
          <span className={classes.tip}>
            {label} <KeyHint keys={keys} />
          </span>
        )
      }
    >
      <ActionIcon
        {...rest}
        ref={ref ?? null}
        aria-label={label}
        aria-pressed={active}
        data-active={active || undefined}
        data-danger={danger || undefined}
        data-disabled={disabled === true}
        aria-disabled={disabled || undefined}
        className={classes.icon as string}
        size={size}
        onClick={(event) => {
          if (!disabled) onClick?.(event);
        }}
      >
        {drawIcon(icon, size >= 28 ? 16 : 14)}
      </ActionIcon>
    </Tooltip>
  );
}

export interface ButtonProps {
  /** A verb. */
  children: ReactNode;
  onClick?: ((event: MouseEvent<HTMLButtonElement>) => void) | undefined;
  /** The one action of its place, in the accent's colour. */
  primary?: boolean;
  danger?: boolean;
  /** Without a border until it is pointed at. */
  subtle?: boolean;
  icon?: IconProp;
  rightIcon?: IconProp;
  disabled?: boolean | undefined;
  loading?: boolean | undefined;
  title?: string | undefined;
  width?: number | string | undefined;
  /** `xs`: for bars and notices. */
  size?: 'xs' | 'sm';
  type?: 'button' | 'submit';
  ref?: Ref<HTMLButtonElement> | undefined;
}

export function Button({
  children,
  onClick,
  primary = false,
  danger = false,
  subtle = false,
  icon,
  rightIcon,
  disabled = false,
  loading = false,
  title,
  width,
  size = 'sm',
  type = 'button',
  ref,
  ...rest
}: ButtonProps) {
  return (
    <MantineButton
      {...rest}
      ref={ref ?? null}
      type={type}
      variant={primary ? 'filled' : subtle ? 'subtle' : 'default'}
      color={danger ? 'red' : primary ? 'accent' : 'gray'}
      className={classes.button as string}
      data-danger={danger || undefined}
      data-small={size === 'xs' || undefined}
      leftSection={drawIcon(icon, 14)}
      rightSection={drawIcon(rightIcon, 14)}
      disabled={disabled}
      loading={loading}
      {...(title === undefined ? {} : { title })}
      {...(width === undefined ? {} : { w: width, px: 8 })}
      onClick={(event) => onClick?.(event)}
    >
      {children}
    </MantineButton>
  );
}

export interface SegmentedProps<V extends string> {
  label: string;
  value: V;
  options: readonly { value: V; label: ReactNode; disabled?: boolean }[];
  onChange: (value: V) => void;
  disabled?: boolean;
  full?: boolean;
}

/** One of a few choices, all in sight. */
export function Segmented<V extends string>({
  label,
  value,
  options,
  onChange,
  disabled = false,
  full = false,
}: SegmentedProps<V>) {
  return (
    <SegmentedControl
      aria-label={label}
      value={value}
      data={options.map((option) => ({ ...option }))}
      onChange={(next) => onChange(next as V)}
      disabled={disabled}
      fullWidth={full}
    />
  );
}

/** A button among words. */
export function TextButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={classes.link} onClick={onClick}>
      {children}
    </button>
  );
}
