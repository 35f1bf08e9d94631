/** The whole network as Python beside the stack: which lines are the selected layers', and a line clicked selects its layer. */
import { IconDownload, IconX } from '@tabler/icons-react';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { codeText, modelCode } from '../../engine/contract/model-code.ts';
import { saveFile } from '../run-parts/save-file.ts';
import { showCode } from '../state/code-panel.ts';
import { usePlan } from '../state/project.ts';
import { currentStack, select, useStack, useStackState } from '../state/stack-store.ts';
import { CodeView, CopyText, EmptyState, IconButton } from '../ui/index.ts';
import styles from './code-panel.module.css';
import { rowElementId } from './layer-card.tsx';

/** The row of a layer at a place of the project: the first, where a block's layers are shown more than once. */
function rowAt(place: string): string | null {
  const row = currentStack().rows.find((each) => each.type === 'layer' && each.path.join('.') === place);
  return row?.key ?? null;
}

/** What is folded away is selected as the block that is seen. */
function chooseAt(place: string): void {
  for (let steps = place.split('.'); steps.length > 2; steps = steps.slice(0, -1)) {
    const key = rowAt(steps.join('.'));
    if (key === null) continue;
    // The focus stays in the code: who reads on by keys is not thrown out of it.
    select(key);
    document.getElementById(rowElementId(key))?.scrollIntoView({ block: 'nearest' });
    return;
  }
}

export function CodePanel() {
  // Typing goes before: the code follows as soon as there is time.
  const plan = useDeferredValue(usePlan());
  const { rows } = useStack();
  const selected = useStackState((state) => state.selected);
  const code = useMemo(() => plan && modelCode(plan), [plan]);
  const lines = useMemo(() => code?.lines.map(({ text, place }) => ({ text, owner: place })) ?? [], [code]);
  const text = useMemo(() => (code ? codeText(code) : ''), [code]);
  const marked = useMemo(
    () =>
      rows.flatMap((row) =>
        row.type === 'layer' && selected.has(row.key) ? (code?.spans.get(row.path.join('.')) ?? []) : [],
      ),
    [rows, selected, code],
  );
  const choose = useCallback((place: string) => chooseAt(place), []);
  const empty = plan === null || plan.layers.length === 0;
  const unfinished = plan !== null && plan.output.length === 0;
  return (
    <aside className={styles.panel} aria-label="Network as code">
      <header className={styles.head}>
        <h2 className={styles.title}>Code</h2>
        <span className={styles.tools}>
          {!empty && (
            <>
              <CopyText text={text} what="the code" />
              <IconButton
                label="Save as a Python file"
                icon={IconDownload}
                onClick={() => saveFile(new Blob([text], { type: 'text/x-python' }), `${plan.project.name}.py`)}
              />
            </>
          )}
          <IconButton label="Hide the code" keys="Mod+J" icon={IconX} onClick={() => showCode(false)} />
        </span>
      </header>
      {empty ? (
        <EmptyState compact title="No code yet">
          {rows.some(({ type }) => type === 'layer')
            ? 'The first layer cannot be built yet: its card says why.'
            : 'Add layers: the network stands here as the Python that builds it in PyTorch.'}
        </EmptyState>
      ) : (
        <>
          {unfinished && (
            <p className={styles.note} role="status">
              Ends where the network cannot be built yet.
            </p>
          )}
          <CodeView lines={lines} marked={marked} label="Network in Python, by layer" onChoose={choose} />
        </>
      )}
    </aside>
  );
}
