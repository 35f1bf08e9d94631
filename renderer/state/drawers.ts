/** In a narrow window, or a magnified one, Build's sides are drawers over the stack: which of them is open. */
import { create } from 'zustand';

export type Drawer = 'palette' | 'inspector';

export const useDrawers = create<{ open: Drawer | null }>(() => ({ open: null }));

export function openDrawer(open: Drawer | null): void {
  useDrawers.setState({ open });
}
