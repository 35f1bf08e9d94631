/** Buttons with more manners than Mantine's: icons that always say what they do, actions that ask first, choices side by side. */
import { ActionIcon, Button, Popover, SegmentedControl, Tooltip } from '@mantine/core';
import { type MouseEvent, type ReactNode, type Ref, useState } from 'react';
import classes from './buttons.module.css';
import { KeyHint } from './text.tsx';

export interface IconButtonProps {
  /** Tooltip and accessible name. */
  label: string;
  icon: ReactNode;
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
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

export interface ConfirmButtonProps {
  /** The button's own words: a verb. */
  children: ReactNode;
  /** What will happen, as a sentence. */
  question: ReactNode;
  /** The verb that does it. */
  confirm: string;
  onConfirm: () => void;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean | undefined;
  variant?: 'default' | 'subtle' | 'filled';
}

/** A button that asks before it acts, next to where it was pressed. */
export function ConfirmButton({
  children,
  question,
  confirm,
  onConfirm,
  icon,
  danger = true,
  disabled = false,
  variant = 'default',
}: ConfirmButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} trapFocus returnFocus width={280} position="bottom-end" withinPortal>
      <Popover.Target>
        <Button
          variant={variant}
          leftSection={icon}
          disabled={disabled}
          onClick={() => setOpen((was) => !was)}
          aria-haspopup="dialog"
          aria-expanded={open}
        >
          {children}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <p className={classes.question}>{question}</p>
        <div className={classes.answers}>
          <Button variant="subtle" color="gray" onClick={() => setOpen(false)}>
            Cancel
          </Button>
          <Button
            color={danger ? 'red' : 'accent'}
            data-autofocus
            onClick={() => {
              setOpen(false);
              onConfirm();
            }}
          >
            {confirm}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
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
