/** The rail: the pages, and where something is going on. */
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
import { Link, useLocation } from 'wouter';
import { useLiveRun } from '../state/runs.ts';
import styles from './frame.module.css';

const pages: { path: string; label: string; icon: TablerIcon; also?: RegExp }[] = [
  { path: '/', label: 'Home', icon: IconHome },
  { path: '/data', label: 'Data', icon: IconDatabase },
  { path: '/build', label: 'Build', icon: IconStack2 },
  { path: '/train', label: 'Train', icon: IconPlayerPlay },
  { path: '/monitor', label: 'Monitor', icon: IconActivity, also: /^\/runs\/[^/]+\/monitor$/ },
  { path: '/runs', label: 'Runs', icon: IconListDetails, also: /^\/(runs\/[^/]+|compare\/.*)$/ },
  { path: '/devices', label: 'Devices', icon: IconCpu },
];

export function Rail() {
  const [location] = useLocation();
  const live = useLiveRun();
  const entry = ({ path, label, icon: Icon, also }: (typeof pages)[number], foot = false) => {
    const here = location === path || also?.test(location) === true;
    return (
      <Link
        key={path}
        href={path}
        className={`${styles.railLink} ${foot ? styles.railFoot : ''}`}
        aria-current={here ? 'page' : undefined}
      >
        <Icon size={19} stroke={1.6} aria-hidden />
        {label}
        {path === '/monitor' && live && <span className={styles.railLive} title={`${live.name} is ${live.status}`} />}
      </Link>
    );
  };
  return (
    <nav className={styles.rail} aria-label="Pages">
      {pages.map((each) => entry(each))}
      {entry({ path: '/settings', label: 'Settings', icon: IconAdjustments }, true)}
    </nav>
  );
}
