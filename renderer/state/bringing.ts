/** Weights that a person brings from their own machine: where the engine finds them, and that the open project starts from them. */
import { create } from 'zustand';
import { mostUploadBytes, uploadPartBytes } from '../../engine/contract/api-upload.ts';
import { bytes } from '../../engine/contract/format.ts';
import { setEdit } from '../../engine/contract/report.ts';
import { engine } from '../client/client.ts';
import { shell } from '../client/shell.ts';
import { relativeTo } from './files.ts';
import { edit } from './project-history.ts';
import { useProjectState } from './project-state.ts';
import { tell, tellError } from './session.ts';

interface Bringing {
  /** null: nothing is on its way. */
  name: string | null;
  /** From 0 to 1. */
  share: number;
  size: number;
}

const nothing: Bringing = { name: null, share: 0, size: 0 };

export const useBringing = create<Bringing>(() => nothing);

let wish: AbortController | null = null;

export function cancelBringing(): void {
  wish?.abort();
}

/** Answers false, and tells why, where the open project does not start from them now. */
export async function startFromFile(given: File): Promise<boolean> {
  const { file } = useProjectState.getState();
  if (file === null) return false;
  try {
    const known = shell()?.pathOf(given);
    // What is brought, the engine looks at itself before it keeps it.
    if (known) await engine.files.weights({ file: known });
    const place = known || (await bring(given));
    if (place === null) return false;
    if (useProjectState.getState().file !== file) {
      tell({
        tone: 'info',
        message: `${given.name} is in the workspace`,
        hint: 'Another project was opened meanwhile.',
      });
      return false;
    }
    return edit([setEdit(['model', 'weights'], relativeTo(file, place))]);
  } catch (thrown) {
    tellError(thrown);
    return false;
  }
}

/** Into the workspace, part by part. null: the person gave it up. */
async function bring(given: File): Promise<string | null> {
  const { name, size } = given;
  if (useBringing.getState().name !== null) {
    tell({ tone: 'error', message: 'Another file is on its way', hint: 'Drop it again once that one is there.' });
    return null;
  }
  if (size > mostUploadBytes) {
    tell({
      tone: 'error',
      message: `${name} is too large to be brought by a browser: ${bytes(size)}`,
      hint: `Up to ${bytes(mostUploadBytes)} can be dropped. Copy it to where the engine runs, and choose it in Build, Network.`,
    });
    return null;
  }
  const here = new AbortController();
  wish = here;
  useBringing.setState({ name, share: 0, size });
  let upload: string | null = null;
  try {
    ({ upload } = await engine.files.upload.begin({ name, size }));
    for (let offset = 0; ; offset += uploadPartBytes) {
      if (here.signal.aborted) return null;
      const part = given.slice(offset, offset + uploadPartBytes);
      const { file } = await engine.files.upload.part({ upload, offset, bytes: part });
      if (file !== null) {
        upload = null;
        return file;
      }
      useBringing.setState({ share: (offset + part.size) / size });
    }
  } finally {
    wish = null;
    useBringing.setState(nothing);
    if (upload !== null) void engine.files.upload.cancel({ upload }).catch(() => {});
  }
}
