/** The dialog over folders. @vitest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';
import { FileBrowser, type FileBrowserProps, type FolderListing } from '../../../renderer/ui/index.ts';
import { show } from './dom.tsx';

const entry = (path: string, kind: 'folder' | 'file') => ({
  name: path.split('/').at(-1) as string,
  path,
  kind,
  size: 10,
  modified: '2026-01-01T00:00:00Z',
});

const folders: Record<string, FolderListing> = {
  '/w': {
    folder: '/w',
    parent: null,
    entries: [entry('/w/projects', 'folder'), entry('/w/a.json', 'file'), entry('/w/notes.txt', 'file')],
  },
  '/w/projects': { folder: '/w/projects', parent: '/w', entries: [entry('/w/projects/b.json', 'file')] },
};

function browse(more: Partial<FileBrowserProps> = {}) {
  const onChoose = vi.fn();
  const onClose = vi.fn();
  const list = async (folder: string | null) => {
    const found = folders[folder ?? '/w'];
    if (!found) throw new Error(`${folder} is no folder`);
    return found;
  };
  show(
    <FileBrowser
      title="Open project"
      kind="file"
      confirm="Open"
      extensions={['json']}
      list={list}
      faultOf={(thrown) => ({ code: 'FILE_NOT_FOUND', message: String((thrown as Error).message) })}
      onChoose={onChoose}
      onClose={onClose}
      {...more}
    />,
  );
  return { onChoose, onClose };
}

const line = () => screen.getByLabelText<HTMLInputElement>('Path');
const open = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Open' });

describe('the file browser', () => {
  test('shows what may be chosen, and says what it leaves out', async () => {
    const { onChoose } = browse();
    await screen.findByText('a.json');
    expect(screen.queryByText('notes.txt')).toBeNull();
    expect(screen.getByText(/^1 other file not shown/)).toBeDefined();
    expect(open().disabled).toBe(true);
    await userEvent.click(screen.getByText('projects'));
    expect(open().disabled).toBe(true);
    await userEvent.click(screen.getByText('a.json'));
    await userEvent.click(open());
    expect(onChoose).toHaveBeenCalledWith('/w/a.json');
  });

  test('is used by keyboard alone', async () => {
    const { onChoose } = browse();
    await screen.findByText('a.json');
    screen.getByRole('grid').focus();
    await userEvent.keyboard('{Enter}');
    await screen.findByText('b.json');
    expect(line().value).toBe('/w/projects');
    await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await screen.findByText('a.json');
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(onChoose).toHaveBeenCalledWith('/w/a.json');
  });

  test('takes a path that is typed: of a folder, of a file, of nothing', async () => {
    const { onChoose } = browse();
    await screen.findByText('a.json');
    const type = async (path: string) => {
      await userEvent.clear(line());
      await userEvent.type(line(), `${path}{Enter}`);
    };
    await type('/w/projects');
    await screen.findByText('b.json');
    await type('/w/a.json');
    await waitFor(() => expect(onChoose).toHaveBeenCalledWith('/w/a.json'));
    await type('/w/nowhere');
    expect((await screen.findByRole('alert')).textContent).toContain('/w/nowhere is no folder');
    expect(screen.getByText('b.json')).toBeDefined();
  });

  test('a folder is the one that is selected, else the one that is shown', async () => {
    const { onChoose } = browse({
      kind: 'folder',
      confirm: 'Choose folder',
      extensions: [],
      start: '/w/projects/b.json',
    });
    await screen.findByText('b.json');
    await userEvent.click(screen.getByRole('button', { name: 'Up one folder' }));
    await screen.findByText('notes.txt');
    // The folder that was left is the one that is selected.
    await userEvent.click(screen.getByRole('button', { name: 'Choose folder' }));
    expect(onChoose).toHaveBeenCalledWith('/w/projects');
  });
});
