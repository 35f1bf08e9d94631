/** The title bar: the project and whether it is saved, undo and redo, search, the device, and the one primary action. */
import { IconArrowBackUp, IconArrowForwardUp, IconChevronDown, IconSearch } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { closeProject, redo, type SaveState, undo, useHistory, useProject, useProjectState } from '../state/project.ts';
import { askForName, openFile, useProjects } from '../state/projects.ts';
import { useSession } from '../state/session.ts';
import { IconButton, Kbd, Menu } from '../ui/index.ts';
import { DeviceChip } from './device-chip.tsx';
import styles from './frame.module.css';
import { PrimaryAction } from './primary-action.tsx';
import { openPalette } from './shortcuts.tsx';

export function TitleBar() {
  const { canUndo, canRedo } = useHistory();
  const open = useProjectState((state) => state.file !== null);
  return (
    <header className={styles.title}>
      <Mark />
      <ProjectMenu />
      {open && (
        <>
          <Saved />
          <IconButton label="Undo" keys="Mod+Z" icon={IconArrowBackUp} disabled={!canUndo} onClick={undo} />
          <IconButton label="Redo" keys="Mod+Shift+Z" icon={IconArrowForwardUp} disabled={!canRedo} onClick={redo} />
        </>
      )}
      <span className={styles.spring} />
      <button type="button" className={styles.search} onClick={openPalette} title="Search commands">
        <IconSearch size={15} stroke={1.6} aria-hidden />
        <span>Search commands</span>
        <Kbd keys="Mod+K" />
      </button>
      <DeviceChip />
      <PrimaryAction />
    </header>
  );
}

function Mark() {
  return (
    <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden="true">
      <g fill="none" stroke="var(--accent)" strokeWidth="3" strokeLinecap="round">
        <path d="M4 8c7 0 9 16 24 16" />
        <path d="M4 16h24" opacity="0.55" />
        <path d="M4 24C11 24 13 8 28 8" />
      </g>
    </svg>
  );
}

function ProjectMenu() {
  const [, navigate] = useLocation();
  const file = useProjectState((state) => state.file);
  const { project } = useProject();
  const recent = useProjects((state) => state.recent);
  const fileName = file?.split(/[\\/]/).at(-1);
  const name = typeof project?.name === 'string' ? project.name : fileName;
  const others = (recent ?? []).filter((each) => each.file !== file && each.exists).slice(0, 6);
  return (
    <Menu
      label="Project"
      items={[
        { label: 'New empty project', onClick: askForName },
        { label: 'Templates and files…', onClick: () => navigate('/') },
        ...(others.length > 0 ? [{ divider: 'Recent' }] : []),
        ...others.map((each) => ({
          label: each.name,
          hint: each.file.split(/[\\/]/).at(-1) ?? '',
          onClick: () => void openFile(each.file),
        })),
        ...(file === null
          ? []
          : [{ divider: '' }, { label: 'Close project', onClick: () => void closeThenHome(navigate) }]),
      ]}
      trigger={
        <button type="button" className={styles.projectButton} title={file ?? undefined}>
          <span className={styles.projectName}>{name ?? 'No project'}</span>
          <IconChevronDown size={14} stroke={1.8} aria-hidden />
        </button>
      }
    />
  );
}

async function closeThenHome(navigate: (to: string) => void): Promise<void> {
  // The address names no project any more.
  if (await closeProject()) navigate('/?');
}

const words: Record<SaveState['kind'], string> = {
  saved: 'Saved',
  unsaved: 'Edited',
  saving: 'Saving…',
  conflict: 'Not saved',
  failed: 'Not saved',
};

function Saved() {
  const save = useProjectState((state) => state.save);
  const bad = save.kind === 'conflict' || save.kind === 'failed';
  const connected = useSession((state) => state.status === 'ready');
  const waiting = !connected && save.kind !== 'saved' && save.kind !== 'conflict';
  return (
    <span className={`${styles.saved} ${bad ? styles.savedBad : ''}`} aria-live="polite">
      {waiting ? 'Saves when connected' : words[save.kind]}
    </span>
  );
}
