/** A tooltip for anything that a pointer or the keyboard can be at. */
import { Tooltip } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export function Tip({
  children,
  label,
  side = 'top',
  delay = 350,
}: {
  children: ReactElement;
  label: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  delay?: number;
}) {
  return (
    <Tooltip label={label} position={side} openDelay={delay}>
      {children}
    </Tooltip>
  );
}
