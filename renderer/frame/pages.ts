/** The pages of the rail and of the command palette. */
import {
  IconActivity,
  IconAdjustments,
  IconCpu,
  IconDatabase,
  IconHome,
  IconListDetails,
  IconPlayerPlay,
  IconStack2,
  type TablerIcon,
} from '@tabler/icons-react';

export interface PageLink {
  path: string;
  label: string;
  icon: TablerIcon;
  /** Other addresses that belong to it. */
  also?: RegExp;
}

export const pages: readonly PageLink[] = [
  { path: '/', label: 'Home', icon: IconHome },
  { path: '/data', label: 'Data', icon: IconDatabase },
  { path: '/build', label: 'Build', icon: IconStack2 },
  { path: '/train', label: 'Train', icon: IconPlayerPlay },
  { path: '/monitor', label: 'Monitor', icon: IconActivity, also: /^\/runs\/[^/]+\/monitor$/ },
  { path: '/runs', label: 'Runs', icon: IconListDetails, also: /^\/(runs\/[^/]+|compare\/.*)$/ },
  { path: '/devices', label: 'Devices', icon: IconCpu },
];

/** At the rail's foot. */
export const settingsPage: PageLink = { path: '/settings', label: 'Settings', icon: IconAdjustments };
