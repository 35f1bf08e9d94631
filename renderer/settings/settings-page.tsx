/** What a person sets once: the look, what runs compute with, where things lie; and what this program is. */
import type { ReactNode } from 'react';
import type { Settings } from '../../engine/contract/api.ts';
import { type About, changeSettings, useSession } from '../state/session.ts';
import { CodeLine, Facts, Page, Panel, Segmented, Skeleton } from '../ui/index.ts';
import { DefaultDevice, Threads } from './computing.tsx';
import { CacheLimit, Packs } from './packs.tsx';
import styles from './settings.module.css';

const themes: readonly { value: Settings['theme']; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export default function SettingsPage() {
  const settings = useSession((state) => state.settings);
  const about = useSession((state) => state.about);
  const theme = useSession((state) => state.theme);
  return (
    <Page title="Settings">
      <div className={styles.column}>
        <Panel title="Appearance">
          <Row label="Theme" help="Applied at once, here and in every other window when it is loaded again.">
            <Segmented
              label="Theme"
              value={theme}
              options={themes}
              onChange={(value) => void changeSettings({ theme: value })}
            />
          </Row>
        </Panel>
        <Panel title="Computing">
          {settings ? <Computing settings={settings} /> : <Skeleton kind="rows" lines={2} />}
        </Panel>
        <Panel title="Imported data">
          {settings && (
            <Row
              label="Limit"
              help="How much the cache may keep, in GiB: what was not used for the longest time goes first. Empty: no limit."
            >
              <CacheLimit value={settings.cache_limit} />
            </Row>
          )}
          <Packs />
        </Panel>
        <Panel title="Places">{about ? <Places about={about} /> : <Skeleton kind="rows" lines={3} />}</Panel>
        <Panel title="About Gradloom">
          {about ? <AboutProgram about={about} /> : <Skeleton kind="text" lines={3} />}
        </Panel>
      </div>
    </Page>
  );
}

function Computing({ settings }: { settings: Settings }) {
  return (
    <>
      <Row
        label="Threads"
        help="How many threads a run computes with on the processor. Automatic: one for each physical core, which is the fastest for most networks. For runs that are started in the window; the command line has --threads."
      >
        <Threads value={settings.threads} />
      </Row>
      <Row
        label="Default device"
        help="What a run that is started in the window takes where its project says “auto”. Automatic: the best there is when it starts."
      >
        <DefaultDevice value={settings.device} />
      </Row>
    </>
  );
}

function Places({ about }: { about: About }) {
  return (
    <>
      <Row label="Workspace" help="Projects, runs and settings. Back this folder up.">
        <CodeLine>{about.home}</CodeLine>
      </Row>
      <Row
        label="Cache"
        help="PyTorch's libraries and imported data. It can be deleted: set-up and imports bring it back."
      >
        <CodeLine>{about.cache}</CodeLine>
      </Row>
      {about.root !== null && (
        <Row label="Files from" help="Files are picked below this folder only, as the engine was told when it started.">
          <CodeLine>{about.root}</CodeLine>
        </Row>
      )}
      <Row
        label="To change them"
        help="Set these before Gradloom is started. What lies in the old folders stays there until you move it."
      >
        <CodeLine>{settingCommand(about.platform)}</CodeLine>
      </Row>
    </>
  );
}

function settingCommand(platform: string): string {
  return platform.startsWith('win')
    ? 'set GRADLOOM_HOME=D:\\Gradloom && set GRADLOOM_CACHE=D:\\cache && npm start'
    : 'GRADLOOM_HOME=~/gradloom GRADLOOM_CACHE=~/cache npm start';
}

function AboutProgram({ about }: { about: About }) {
  return (
    <>
      <Facts
        rows={[
          ['Gradloom', about.version],
          ["PyTorch's C++ core (libtorch)", about.libtorch ?? 'not found: run npm run setup'],
          ['Platform', about.platform],
          ['Licence', 'Apache License 2.0'],
        ]}
      />
      <p className={styles.note}>
        Gradloom stands on the work of others: PyTorch, React, Mantine, Recharts and more. Their names and licences are
        in the file THIRD_PARTY_NOTICES beside the program.
      </p>
    </>
  );
}

function Row({ label, help, children }: { label: string; help: string; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <h3 className={styles.label}>{label}</h3>
        <p className={styles.help}>{help}</p>
      </div>
      <div className={styles.control}>{children}</div>
    </div>
  );
}
