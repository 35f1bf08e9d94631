/** The window: its frame, and the page that the address names. */
import { lazy, type ReactNode, Suspense } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { ConnectionBar, DraftBar, ProjectBar } from './frame/bars.tsx';
import { BringingBar, DropTarget } from './frame/drop-target.tsx';
import { FileDialog } from './frame/file-dialog.tsx';
import styles from './frame/frame.module.css';
import { decoded, hashLocation } from './frame/hash-location.ts';
import { NewProject } from './frame/new-project.tsx';
import { useProjectAddress } from './frame/project-address.ts';
import { Rail } from './frame/rail.tsx';
import { useShortcuts } from './frame/shortcuts.tsx';
import { ShortcutsSheet } from './frame/shortcuts-sheet.tsx';
import { SignIn } from './frame/sign-in.tsx';
import { StatusLine } from './frame/status-line.tsx';
import { TitleBar } from './frame/title-bar.tsx';
import { Toasts } from './frame/toasts.tsx';
import { useUndoNotice } from './frame/undo-notice.ts';
import { useRuns } from './state/runs.ts';
import { useSession } from './state/session.ts';
import { EmptyState, PageBoundary, UiProvider } from './ui/index.ts';

const HomePage = lazy(() => import('./home/home-page.tsx'));
const DataPage = lazy(() => import('./data/data-page.tsx'));
const BuildPage = lazy(() => import('./build/build-page.tsx'));
const TrainPage = lazy(() => import('./train/train-page.tsx'));
const MonitorPage = lazy(() => import('./monitor/monitor-page.tsx'));
const RunsPage = lazy(() => import('./runs/runs-page.tsx'));
const ComparePage = lazy(() => import('./runs/compare-page.tsx'));
const DevicesPage = lazy(() => import('./devices/devices-page.tsx'));
const SettingsPage = lazy(() => import('./settings/settings-page.tsx'));

export function App() {
  const theme = useSession((state) => state.theme);
  const status = useSession((state) => state.status);
  return (
    <UiProvider scheme={theme}>
      {status === 'unauthorised' ? (
        <SignIn />
      ) : (
        <Router hook={hashLocation}>
          <Frame />
        </Router>
      )}
    </UiProvider>
  );
}

function Frame() {
  useProjectAddress();
  useUndoNotice();
  const palette = useShortcuts();
  return (
    <div className={styles.frame}>
      <TitleBar />
      <Rail />
      <div className={styles.bars}>
        <ConnectionBar />
        <ProjectBar />
        <DraftBar />
        <BringingBar />
      </div>
      <main className={styles.page}>
        <Pages />
      </main>
      <StatusLine />
      <Toasts />
      <DropTarget />
      <FileDialog />
      <NewProject />
      <ShortcutsSheet />
      {palette}
    </div>
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/">{page('home', <HomePage />)}</Route>
      <Route path="/data">{page('data', <DataPage />)}</Route>
      <Route path="/build">{page('build', <BuildPage />)}</Route>
      <Route path="/train">{page('train', <TrainPage />)}</Route>
      <Route path="/monitor">{page('monitor', <LatestRun />)}</Route>
      <Route path="/runs">{page('runs', <RunsPage name={null} />)}</Route>
      <Route path="/runs/:name">{({ name }) => page('runs', <RunsPage name={decoded(name)} />)}</Route>
      <Route path="/runs/:name/monitor">
        {({ name }) => page(`monitor ${name}`, <MonitorPage name={decoded(name)} />)}
      </Route>
      <Route path="/compare/:names">
        {({ names }) => page('compare', <ComparePage names={names.split(',').map(decoded)} />)}
      </Route>
      <Route path="/devices">{page('devices', <DevicesPage />)}</Route>
      <Route path="/settings">{page('settings', <SettingsPage />)}</Route>
      <Route>
        <div className={styles.centre}>
          <EmptyState title="There is no such page">The address leads nowhere. Choose a page on the left.</EmptyState>
        </div>
      </Route>
    </Switch>
  );
}

/** A page that fails shows its error in its own place; the frame and other pages go on. */
function page(key: string, content: ReactNode) {
  return (
    <PageBoundary key={key}>
      <Suspense fallback={null}>{content}</Suspense>
    </PageBoundary>
  );
}

/** The rail's Monitor: the run that lives, else the one that changed last. */
function LatestRun() {
  const list = useRuns((state) => state.list);
  if (list === null) return null;
  const run = list[0];
  if (!run) {
    return (
      <div className={styles.centre}>
        <EmptyState title="Nothing has been trained yet">
          Open a project and press Train: its curves, memory and progress appear here.
        </EmptyState>
      </div>
    );
  }
  return <Redirect to={`/runs/${encodeURIComponent(run.name)}/monitor`} replace />;
}
