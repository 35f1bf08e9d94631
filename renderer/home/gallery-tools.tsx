/** Finds templates: words, what kind of data they are for, and the data that they are shown with. */
import { IconDatabase, IconFile, IconFolder, IconTemplate } from '@tabler/icons-react';
import { dataWords } from '../project-parts/data-words.ts';
import { fileName, pickPath } from '../state/files.ts';
import { chooseData, useChosenData } from '../state/fitting.ts';
import { useProjects } from '../state/projects.ts';
import { Button, ErrorNotice, Menu, type MenuItem, SearchField, Segmented } from '../ui/index.ts';
import classes from './home.module.css';

export const allCategories = 'All';
const ownData = 'The data they come with';
/** So many of the things that were noticed are told here; the page Data tells all. */
const mostNotes = 5;
/** So many recent projects are offered. */
const mostOffered = 8;

export interface GalleryToolsProps {
  categories: readonly string[];
  category: string;
  onCategory: (category: string) => void;
  words: string;
  onWords: (words: string) => void;
  disabled: boolean;
}

export function GalleryTools({ categories, category, onCategory, words, onWords, disabled }: GalleryToolsProps) {
  return (
    <div className={classes.tools}>
      <div className={classes.toolRow}>
        <SearchField label="Search templates" placeholder="Search templates" value={words} onChange={onWords} />
        <Segmented
          label="Kind of data"
          value={category}
          options={[allCategories, ...categories].map((name) => ({ value: name, label: name }))}
          disabled={disabled}
          onChange={onCategory}
        />
        <span className={classes.dataChoice}>
          <DataMenu />
        </span>
      </div>
      <ChosenData />
    </div>
  );
}

function DataMenu() {
  const recent = useProjects((state) => state.recent);
  const data = useChosenData((state) => state.data);
  const pick = async (kind: 'folder' | 'file') => {
    const title = kind === 'folder' ? 'Folder with the data' : 'File with the data';
    const chosen = await pickPath({ kind, title, confirm: 'Use this data' });
    if (chosen !== null) await chooseData({ from: chosen, label: fileName(chosen) });
  };
  const projects = (recent ?? []).filter(({ exists }) => exists).slice(0, mostOffered);
  const items: MenuItem[] = [
    { label: ownData, icon: IconTemplate, onClick: () => void chooseData(null) },
    { label: 'A folder with data…', icon: IconFolder, onClick: () => void pick('folder') },
    { label: 'A file with data…', icon: IconFile, onClick: () => void pick('file') },
    ...(projects.length > 0 ? [{ divider: 'Data of a project' }] : []),
    ...projects.map(({ file, name }) => ({
      label: name,
      icon: IconDatabase,
      onClick: () => void chooseData({ from: file, label: name }),
    })),
  ];
  return (
    <Menu
      label="Data of the templates"
      align="end"
      width={280}
      trigger={<Button icon={IconDatabase}>{data === null ? 'Use with my data…' : `Data: ${data.label}`}</Button>}
      items={items}
    />
  );
}

/** What the data are, and the way back. */
function ChosenData() {
  const data = useChosenData((state) => state.data);
  if (data === null) return null;
  const back = (
    <Button size="xs" onClick={() => void chooseData(null)}>
      Back to {ownData.toLowerCase()}
    </Button>
  );
  if (data.error) return <ErrorNotice error={data.error} actions={back} />;
  const facts = data.given?.facts;
  const notes = data.given?.notes?.slice(0, mostNotes) ?? [];
  return (
    <div className={classes.chosen} role="status">
      <div className={classes.chosenText}>
        <span>
          {facts
            ? `${data.label}: ${dataWords(facts)}. Each template is fitted to it.`
            : `Reading the data of ${data.label}…`}
        </span>
        {notes.length > 0 && (
          <ul className={classes.chosenNotes} aria-label="What was noticed">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
      </div>
      {back}
    </div>
  );
}
