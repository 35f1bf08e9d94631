/** Files that are dropped on the window. @vitest-environment jsdom */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { client, home, refuseNext } from '../engine.ts';
import { showPage } from '../page.tsx';

vi.mock('../../../renderer/client/client.ts', async () => (await import('../engine.ts')).client);

const { BringingBar, DropTarget } = await import('../../../renderer/frame/drop-target.tsx');
const { closeProject, undo, useProjectState } = await import('../../../renderer/state/project.ts');
const { openFile } = await import('../../../renderer/state/projects.ts');
const { useSession } = await import('../../../renderer/state/session.ts');

const toast = () => useSession.getState().toasts.at(-1);
const project = () => JSON.parse(useProjectState.getState().text) as { model: { weights?: string } };

function drop(name: string, content: BlobPart, { folder = false } = {}): void {
  const file = new File([content], name);
  const items = [{ webkitGetAsEntry: () => ({ isDirectory: folder }) }];
  fireEvent.drop(document.body, { dataTransfer: { types: ['Files'], files: [file], items } });
}

/** With one tensor of so many bytes. */
function safetensors(bytes: number): Uint8Array<ArrayBuffer> {
  const header = JSON.stringify({ w: { dtype: 'U8', shape: [bytes], data_offsets: [0, bytes] } });
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  return new Uint8Array(Buffer.concat([size, Buffer.from(header), Buffer.alloc(bytes, 7)]));
}

async function openNew(): Promise<void> {
  const file = path.join(home, `drop-${Math.random()}.gradloom.json`);
  writeFileSync(file, '{ "gradloom": 1, "model": { "layers": [] } }\n');
  expect(await openFile(file)).toBe(true);
}

beforeEach(async () => {
  await closeProject();
  useSession.setState({ toasts: [] });
});

test('a project is copied into the workspace and opened', async () => {
  const { history } = showPage(<DropTarget />);
  drop('mine.gradloom.json', '{ "gradloom": 1, "name": "mine", "data": {}, "model": { "layers": [] } }');
  await waitFor(() => expect(history.at(-1)).toBe('/build'));
  expect(useProjectState.getState().file).toBe(path.join(home, 'projects', 'mine.gradloom.json'));
});

test('weights are what the open project starts from, in one step', async () => {
  showPage(<DropTarget />);
  await openNew();
  const content = safetensors(9 << 20); // three parts
  drop('net.safetensors', content);
  await waitFor(() => expect(project().model.weights).toBe('weights/net.safetensors'), { timeout: 5000 });
  expect(readFileSync(path.join(home, 'weights', 'net.safetensors')).equals(content)).toBe(true);
  expect(toast()?.message).toBe('Runs of this project start from net.safetensors');
  undo();
  expect(project().model.weights).toBeUndefined();
});

test('a path is enough where the window knows it', async () => {
  showPage(<DropTarget />);
  await openNew();
  mkdirSync(path.join(home, 'elsewhere'));
  const known = path.join(home, 'elsewhere', 'net.safetensors');
  Object.assign(window, { gradloomShell: { pathOf: () => known } });
  writeFileSync(known, 'not yet');
  drop('net.safetensors', 'x');
  await waitFor(() => expect(toast()?.message).toBe(`${known} is no safetensors file, or it is damaged.`));
  expect(project().model.weights).toBeUndefined();
  writeFileSync(known, safetensors(4));
  drop('net.safetensors', 'x');
  await waitFor(() => expect(project().model.weights).toBe('elsewhere/net.safetensors'));
  Object.assign(window, { gradloomShell: undefined });
});

test('a broken file is refused with the reason, and the project keeps what it has', async () => {
  showPage(<DropTarget />);
  await openNew();
  drop('good.safetensors', safetensors(4));
  await waitFor(() => expect(project().model.weights).toBe('weights/good.safetensors'));
  for (const [name, content] of [
    ['broken.safetensors', 'what is this'],
    ['good.safetensors', safetensors(4).slice(0, -1)],
    ['broken.pt', 'x'],
  ] as const) {
    useSession.setState({ toasts: [] });
    drop(name, content);
    await waitFor(() => expect(toast()?.message).toMatch(new RegExp(`^${name} is .*damaged`)));
    expect(toast()?.tone).toBe('error');
  }
  expect(project().model.weights).toBe('weights/good.safetensors');
  const { entries } = await client.engine.files.list({ folder: path.join(home, 'weights') });
  expect(entries.filter(({ name }) => /broken|good-2/.test(name))).toEqual([]);
});

test('weights on their way can be given up, and leave nothing', async () => {
  showPage(
    <>
      <DropTarget />
      <BringingBar />
    </>,
  );
  await openNew();
  drop('large.pt', new Uint8Array(40 << 20));
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('status', { name: /large.pt/ })).toBeNull());
  expect(project().model.weights).toBeUndefined();
  const { entries } = await client.engine.files.list({ folder: path.join(home, 'weights') });
  expect(entries.some(({ name }) => name.startsWith('large'))).toBe(false);
});

test('a disk that is full is told', async () => {
  showPage(<DropTarget />);
  await openNew();
  refuseNext('files.upload.part', new Error('The disk is full'));
  drop('full.pt', 'x');
  await waitFor(() => expect(toast()?.message).toBe('The disk is full'));
  expect(project().model.weights).toBeUndefined();
});

test('what is neither is told what it is, and what can be done', async () => {
  const { history } = showPage(<DropTarget />);
  drop('net.pt', 'x');
  await waitFor(() => expect(toast()?.message).toContain('no project is open'));
  drop('photos', '', { folder: true });
  await waitFor(() => expect(toast()?.message).toContain('photos is a folder'));
  expect(toast()?.hint).toContain('Open or make a project');
  drop('net.onnx', 'x');
  await waitFor(() => expect(toast()).toMatchObject({ tone: 'error', message: 'net.onnx is a network as ONNX' }));
  drop('package.json', '{ "name": "package" }');
  await waitFor(() => expect(toast()?.message).toContain('package.json is not a project'));
  await openNew();
  drop('train.csv', 'a,b');
  await waitFor(() => expect(toast()?.message).toContain('train.csv is a table'));
  toast()?.action?.run();
  expect(history.at(-1)).toBe('/data');
});
