/** The rail: the pages, and where something is going on. */
import { Link, useLocation } from 'wouter';
import { useLiveRun } from '../state/runs.ts';
import styles from './frame.module.css';
import { type PageLink, pages, settingsPage } from './pages.ts';

export function Rail() {
  const [location] = useLocation();
  const live = useLiveRun();
  const entry = ({ path, label, icon: Icon, also }: PageLink, foot = false) => {
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
        {path === '/monitor' && live && (
          <span
            className={styles.railLive}
            data-paused={live.status === 'paused' || undefined}
            title={`${live.name} is ${live.status}`}
          />
        )}
      </Link>
    );
  };
  return (
    <nav className={styles.rail} aria-label="Pages">
      {pages.map((each) => entry(each))}
      {entry(settingsPage, true)}
    </nav>
  );
}
