/** Icons as props: the component itself (drawn in the size that fits its place) or an element. */
import { type ComponentType, createElement, isValidElement, type ReactNode } from 'react';

export type IconComponent = ComponentType<{
  size?: number | string;
  stroke?: number | string;
  'aria-hidden'?: boolean;
}>;
export type IconProp = IconComponent | ReactNode;

export function drawIcon(icon: IconProp, size = 16): ReactNode {
  const isComponent =
    typeof icon === 'function' ||
    (typeof icon === 'object' && icon !== null && !isValidElement(icon) && !Array.isArray(icon) && '$$typeof' in icon);
  return isComponent
    ? createElement(icon as IconComponent, { size, stroke: 1.75, 'aria-hidden': true })
    : (icon as ReactNode);
}
