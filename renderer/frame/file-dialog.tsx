/** The window's own dialog for choosing files and folders, where the desktop gives none. */
import { answerPick, listFolder, usePicking } from '../state/files.ts';
import { infoOf } from '../state/session.ts';
import { FileBrowser } from '../ui/index.ts';

export function FileDialog() {
  const request = usePicking((state) => state.request);
  if (!request) return null;
  const { kind, title, confirm, filters = [], start = null } = request;
  return (
    <FileBrowser
      key={title}
      kind={kind}
      title={title}
      confirm={confirm}
      extensions={filters.flatMap(({ extensions }) => extensions)}
      start={start}
      list={listFolder}
      faultOf={infoOf}
      onChoose={answerPick}
      onClose={() => answerPick(null)}
    />
  );
}
