/** The ways to data, for a project that has none yet or shall get other: a folder or file, a known data set, points drawn from a formula. */
import { IconChartDots3, IconCloudDownload, IconFile, IconFolder, IconPhoto } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { inspectPath } from '../state/data-bringing.ts';
import { folderOf, pickPath } from '../state/files.ts';
import { takeDigits } from '../state/preview.ts';
import { useProjectState } from '../state/project.ts';
import { projectForData } from '../state/projects.ts';
import { Button, goOnAt } from '../ui/index.ts';
import { RecipesDialog } from './recipes-dialog.tsx';
import classes from './start.module.css';
import { ToysDialog } from './toys-dialog.tsx';

export async function chooseData(kind: 'file' | 'folder'): Promise<void> {
  const { file } = useProjectState.getState();
  const chosen = await pickPath({
    kind,
    title: kind === 'folder' ? 'Folder with the data' : 'File with the data',
    confirm: kind === 'folder' ? 'Choose folder' : 'Choose file',
    ...(file === null ? {} : { start: folderOf(file) }),
  });
  if (chosen !== null) void inspectPath(chosen);
}

export function StartData() {
  const [dialog, setDialog] = useState<'recipes' | 'toys' | null>(null);
  const [path, setPath] = useState('');
  const [taking, setTaking] = useState(false);
  const look = (event: FormEvent) => {
    event.preventDefault();
    if (path.trim() !== '') void inspectPath(path.trim());
  };
  const digits = async () => {
    setTaking(true);
    const file = await projectForData('digits');
    if (file !== null) await takeDigits(file);
    setTaking(false);
    // The button goes with what it was for; the samples are there now.
    goOnAt('[aria-label="Part shown"] input:checked');
  };
  return (
    <div className={classes.ways}>
      <Way
        icon={<IconFolder size={22} aria-hidden />}
        title="Your own data"
        words="Images, tables, arrays or text: what it is, is recognised by its content. Nothing is copied or changed."
      >
        <div className={classes.buttons}>
          <Button primary icon={IconFolder} onClick={() => void chooseData('folder')}>
            Choose a folder…
          </Button>
          <Button icon={IconFile} onClick={() => void chooseData('file')}>
            Choose a file…
          </Button>
        </div>
        <form className={classes.path} onSubmit={look}>
          <input
            aria-label="Path of a folder or file"
            placeholder="or type a path, or drop it on the window"
            value={path}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <Button type="submit" disabled={path.trim() === ''}>
            Look
          </Button>
        </form>
      </Way>
      <Way
        icon={<IconCloudDownload size={22} aria-hidden />}
        title="A known data set"
        words="MNIST and kin, CIFAR: fetched from public mirrors into the workspace, each with its licence and size."
      >
        <Button icon={IconCloudDownload} onClick={() => setDialog('recipes')}>
          Fetch a data set…
        </Button>
      </Way>
      <Way
        icon={<IconChartDots3 size={22} aria-hidden />}
        title="Something to try"
        words="Points on a plane, waves, or the handwritten digits that come with the program: ready at once."
      >
        <div className={classes.buttons}>
          <Button icon={IconChartDots3} onClick={() => setDialog('toys')}>
            Draw toy data…
          </Button>
          <Button icon={IconPhoto} loading={taking} onClick={() => void digits()}>
            Use the digits that come with Gradloom
          </Button>
        </div>
      </Way>
      {dialog === 'recipes' && <RecipesDialog onClose={() => setDialog(null)} />}
      {dialog === 'toys' && <ToysDialog onClose={() => setDialog(null)} />}
    </div>
  );
}

function Way({ icon, title, words, children }: { icon: ReactNode; title: string; words: string; children: ReactNode }) {
  return (
    <div className={classes.way}>
      <div className={classes.wayHead}>
        <span className={classes.icon}>{icon}</span>
        <h3 className={classes.title}>{title}</h3>
      </div>
      <p className={classes.words}>{words}</p>
      {children}
    </div>
  );
}
