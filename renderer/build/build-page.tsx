/** Build: the palette, the stack, the inspector. */
import { memo, useCallback, useEffect, useMemo, useRef } from 'react';
import { FitDialogs } from '../project-parts/fit-dialogs.tsx';
import { NoProject, useIsOpen } from '../project-parts/no-project.tsx';
import { toggleCode, useCodePanel } from '../state/code-panel.ts';
import { type Drawer, openDrawer, useDrawers } from '../state/drawers.ts';
import { useProject } from '../state/project.ts';
import { useStackState } from '../state/stack-store.ts';
import { EmptyState, leastSides, Splitter, useRoom } from '../ui/index.ts';
import styles from './build.module.css';
import { CodePanel } from './code-panel.tsx';
import { Inspector } from './inspector.tsx';
import { LayerPalette } from './layer-palette.tsx';
import { leastBeside } from './room.ts';
import { StackArea } from './stack-area.tsx';
import { StackDrag, type StackElements } from './stack-drag.tsx';

/**
 * Whether a slash belongs to what is being typed, or to a dialog over the page. No number and no layer has one:
 * layer after layer is added without leaving the field first.
 */
function isElsewhere(target: EventTarget | null, search: HTMLElement | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role=dialog], [role=menu]') !== null) return true;
  if (target === search || /^(decimal|numeric)$/.test(target.getAttribute('inputmode') ?? '')) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

const closeDrawer = () => openDrawer(null);

/** Drawn once: what changes with the project asks for it itself. */
const Builder = memo(function Builder() {
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const elements = useMemo<StackElements>(() => ({ scroller, line, dragging: { current: false } }), []);

  /** Takes the inspector from a look inside to the layer's settings; false where it shows them. */
  const settings = useRef<() => boolean>(null);

  const code = useCodePanel(({ open }) => open);
  const roomy = useRoom(leastBeside);
  const narrow = !useRoom(leastSides);
  const drawer = useDrawers(({ open }) => (narrow ? open : null));
  const sideOf = (which: Drawer) => (narrow ? { open: drawer === which, onClose: closeDrawer } : undefined);
  /** What is in a drawer takes the focus once it is open. */
  const reveal = useCallback(
    (which: Drawer, then: () => void) => {
      if (!narrow) return then();
      openDrawer(which);
      requestAnimationFrame(then);
    },
    [narrow],
  );
  const search = useCallback(
    () =>
      reveal('palette', () => {
        field.current?.focus();
        field.current?.select();
      }),
    [reveal],
  );
  const inspect = useCallback(
    (which: 'first' | 'name' | 'note') =>
      reveal('inspector', () => {
        if (settings.current?.()) return void requestAnimationFrame(() => inspect(which));
        // The name of a use of a named block is the block's: the use's own is one of its texts.
        const block = which === 'name' && root.current?.querySelector('aside [data-inspect=block]');
        const place = block ? '[data-inspect=block]' : which === 'first' ? '[data-inspect]' : '[data-inspect=texts]';
        const fields = root.current?.querySelectorAll<HTMLElement>(
          `aside ${place} :is(input, textarea, [role=combobox]):not([type=hidden], :disabled)`,
        );
        const field = fields?.[which === 'note' ? 1 : 0];
        field?.focus();
        if (field instanceof HTMLInputElement) field.select();
      }),
    [reveal],
  );
  const asked = useStackState((state) => state.asked);
  const answered = useRef(asked.times);
  useEffect(() => {
    if (answered.current === asked.times) return;
    answered.current = asked.times;
    if (asked.what === 'search') search();
    else inspect(asked.what);
  }, [asked, search, inspect]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'j' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        toggleCode();
        return;
      }
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isElsewhere(event.target, field.current)) return;
      event.preventDefault();
      search();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [search]);

  return (
    <div className={styles.page} ref={root}>
      <StackDrag elements={elements}>
        <Splitter
          label="Palette"
          storageKey="build.palette"
          side="left"
          initial={232}
          min={168}
          max={360}
          drawer={sideOf('palette')}
          aside={<LayerPalette field={field} />}
          main={
            <Splitter
              label="Inspector"
              storageKey="build.inspector"
              initial={320}
              min={264}
              max={560}
              drawer={sideOf('inspector')}
              aside={code && !roomy && !narrow ? null : <Inspector settings={settings} />}
              main={
                <Splitter
                  label="Code"
                  storageKey="build.code"
                  initial={320}
                  min={280}
                  max={900}
                  share={roomy ? 0.6 : 0.4}
                  aside={code ? <CodePanel /> : null}
                  main={<StackArea elements={elements} search={search} />}
                />
              }
            />
          }
        />
      </StackDrag>
      <FitDialogs />
    </div>
  );
});

export default function BuildPage() {
  const open = useIsOpen();
  const { project } = useProject();
  if (!open) return <NoProject title="Build" belongs="stack the layers of its network and see every shape and cost" />;
  if (!project) {
    return (
      <EmptyState title="The file cannot be read as a project">
        The bar above says where. Undo the change, or correct the file: this page shows it as soon as it can be read.
      </EmptyState>
    );
  }
  return <Builder />;
}
