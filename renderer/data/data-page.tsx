/** The data of the open project: where it comes from, what it looks like, what is wrong with it, how it is split and transformed. */
import { IconAdjustmentsHorizontal, IconStethoscope } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { transforms as transformTable } from '../../engine/contract/transforms.ts';
import { FitDialogs } from '../project-parts/fit-dialogs.tsx';
import { NoProject, useIsOpen } from '../project-parts/no-project.tsx';
import { checkData, useChecking } from '../state/data-check.ts';
import { useImportState } from '../state/data-import.ts';
import { useMarks, useMarksOfProject } from '../state/data-marks.ts';
import { useValueAt } from '../state/form.ts';
import { usePreview, type Wanted } from '../state/preview.ts';
import { usePlan, useProjectState } from '../state/project.ts';
import { Button, IconButton, leastSides, Page, Panel, plural, Segmented, useRoom } from '../ui/index.ts';
import { type SampleAt, useDataAddress, type View } from './address.ts';
import { BalanceSection } from './balance-section.tsx';
import { CheckPanel, useFindingCount } from './check-panel.tsx';
import classes from './data.module.css';
import { FetchBar } from './fetch-bar.tsx';
import { FitNotice } from './fit-notice.tsx';
import { FoundData, useLooking } from './found-data.tsx';
import type { Side } from './gallery.tsx';
import { SampleInspector } from './sample-inspector.tsx';
import { type Filter, isPlaneOf, SamplesPanel } from './samples-panel.tsx';
import { hasRoles, isTableKind, SourcePanel } from './source-panel.tsx';
import { SplitSection } from './split-section.tsx';
import { StartData } from './start-data.tsx';
import { TablePanel } from './table-panel.tsx';
import { stageSide, TransformsSection } from './transforms-section.tsx';
import { ValuesSection } from './values-section.tsx';

/** About so many samples a page, in whole rows. */
const aboutSamples = 48;
/** Larger pictures come as thumbnails. */
const mostValues = 6144;
const thumbSide = 96;
const mostPoints = 4096;

export default function DataPage() {
  return useIsOpen() ? (
    <OpenData />
  ) : (
    <NoProject title="Data" belongs="choose what the network learns from and look at samples of it">
      <Panel title="Or begin a new project with data">
        <StartData />
      </Panel>
    </NoProject>
  );
}

const noFilter: Filter = { part: 'train', start: 0, class: null, search: '', marked: false, within: null, epoch: null };

function OpenData() {
  useMarksOfProject();
  const facts = useProjectState((state) => state.facts);
  const factsError = useProjectState((state) => state.factsError);
  const factsAwaited = useProjectState((state) => state.factsAwaited);
  const source = useValueAt(['data', 'source']);
  const kind = useValueAt(['data', 'source', 'kind']);
  const transforms = useValueAt(['data', 'transforms']);
  const hasTransforms = Array.isArray(transforms) && transforms.length > 0;
  const hasRandom = hasTransforms && transforms.some((one) => transformTable.get(String(one?.kind))?.random === true);
  const [filter, setFilter] = useState<Filter>(noFilter);
  const [columns, setColumns] = useState(8);
  const [side, setSide] = useState<Side>('raw');
  const [round, setRound] = useState(0);
  const address = useDataAddress();
  const { sample, look, show } = address;
  const isTable = typeof kind === 'string' && isTableKind(kind);
  const view: View = address.view === 'table' && !isTable ? 'samples' : address.view;
  const looking = useLooking();
  const marksChanged = useMarks(({ changes }) => changes);

  const onWant = useCallback((change: Partial<Filter>) => setFilter((before) => ({ ...before, ...change })), []);
  const val = usePlan()?.project.data.split.val;
  const isDrawn = typeof val === 'number' && val > 0;
  const values = facts?.input.dims.reduce((product, size) => product * size, 1) ?? 1;
  const wanted: Wanted = {
    ...filter,
    within: isDrawn && filter.part === 'train' ? (filter.within ?? null) : null,
    epoch: hasRandom ? filter.epoch : null,
    count: facts && isPlaneOf(facts) ? mostPoints : columns * Math.max(2, Math.round(aboutSamples / columns)),
    thumbs: values > mostValues ? thumbSide : null,
  };
  // How large samples are is known first: of large ones only thumbnails come.
  const read = usePreview(
    view === 'samples' && facts !== null ? wanted : null,
    round + (filter.marked || wanted.within ? marksChanged : 0),
  );
  const imported = useImportState(round, view !== 'samples' || !read.reading);
  const leftOut = useMemo(
    () => new Map(imported?.left_out?.samples.map(({ part, name, reason }) => [`${part}\n${name}`, reason])),
    [imported],
  );
  const state = facts === null ? { ...read, error: factsError, reading: factsAwaited } : read;

  // Another source is looked at from its beginning.
  const sourceText = JSON.stringify(source);
  const before = useRef(sourceText);
  useEffect(() => {
    if (before.current === sourceText) return;
    before.current = sourceText;
    setFilter((was) => ({ ...noFilter, epoch: was.epoch }));
    look(null);
  }, [sourceText, look]);

  const narrow = !useRoom(leastSides);
  const [drawer, setDrawer] = useState(sample !== null);
  const inspector = useRef<HTMLDivElement>(null);
  const openInspector = () => {
    if (narrow) setDrawer(true);
    requestAnimationFrame(() => inspector.current?.focus());
  };
  // The way back from a sample: to where it was chosen, a finding for instance, else to the samples.
  const from = useRef<Element>(null);
  const lookAt = (at: SampleAt | null) => {
    if (sample === null) from.current = document.activeElement;
    look(at);
    if (narrow && at !== null) setDrawer(true);
  };
  const close = () => {
    look(null);
    setDrawer(false);
    const chosenAt = from.current;
    const back = chosenAt?.isConnected && chosenAt !== document.body ? chosenAt : null;
    const place =
      back ?? document.querySelector('[data-samples]') ?? document.querySelector('[aria-label=View] input:checked');
    if (place instanceof HTMLElement) place.focus({ preventScroll: true });
  };
  const chosen = source !== undefined;
  const first = state.preview?.samples[0]?.index;
  const stageWish =
    hasTransforms && first !== undefined
      ? { part: filter.part, index: first, epoch: wanted.epoch, side: 2 * stageSide }
      : null;
  return (
    <Page
      title="Data"
      subtitle={chosen && <Views view={view} isTable={isTable} onShow={show} />}
      actions={
        chosen && (
          <>
            <MarkCount
              onShow={() => {
                show('samples');
                onWant({ marked: true, start: 0 });
              }}
            />
            {view !== 'check' && facts && <CheckButton onShow={() => show('check')} short={narrow} />}
            {narrow && (
              <IconButton
                label="Split and transforms"
                icon={IconAdjustmentsHorizontal}
                active={drawer && sample === null}
                onClick={() => {
                  look(null);
                  setDrawer(!drawer || sample !== null);
                }}
              />
            )}
          </>
        )
      }
      asideLabel="Split and transforms"
      asideDrawer={narrow ? { open: drawer, onClose: close } : undefined}
      aside={
        chosen &&
        (sample && facts ? (
          <SampleInspector
            ref={inspector}
            at={sample}
            facts={facts}
            hasTransforms={hasTransforms}
            epoch={wanted.epoch}
            round={round}
            onLook={(at) => (at === null ? close() : look(at))}
          />
        ) : (
          <div className={classes.aside}>
            <SplitSection />
            <TransformsSection preview={state.preview} wish={stageWish} />
            {state.preview?.samples.some(({ raw }) => raw.length > 0) && facts?.input.dtype === 'float32' && (
              <ValuesSection preview={state.preview} hasTransforms={hasTransforms} />
            )}
            {facts && <BalanceSection facts={facts} />}
          </div>
        ))
      }
    >
      <FitNotice />
      <FetchBar />
      {looking ? (
        <FoundData onTake={(taken) => show(hasRoles(taken) ? 'table' : 'samples')} />
      ) : (
        <SourcePanel
          imported={imported}
          brief={view !== 'samples'}
          onReadAgain={() => setRound(round + 1)}
          onColumns={() => show('table')}
        />
      )}
      {chosen && view === 'samples' && (
        <SamplesPanel
          facts={facts}
          state={state}
          wanted={wanted}
          onWant={onWant}
          side={side}
          onSide={setSide}
          hasTransforms={hasTransforms}
          hasRandom={hasRandom}
          isDrawn={isDrawn}
          columns={columns}
          onColumns={setColumns}
          selected={sample}
          onSelect={lookAt}
          onOpen={openInspector}
          leftOut={leftOut}
        />
      )}
      {chosen && view === 'table' && factsError === null && <TablePanel round={round} />}
      {chosen && view === 'check' && <CheckPanel onLook={lookAt} round={round} />}
      <FitDialogs />
    </Page>
  );
}

function Views({ view, isTable, onShow }: { view: View; isTable: boolean; onShow: (view: View) => void }) {
  const count = useFindingCount();
  return (
    <Segmented
      label="View"
      value={view}
      options={[
        { value: 'samples', label: 'Samples' },
        ...(isTable ? [{ value: 'table' as const, label: 'Table' }] : []),
        { value: 'check', label: count === null ? 'Check' : `Check (${count})` },
      ]}
      onChange={onShow}
    />
  );
}

/** Asks at once, and shows what comes of it. */
function CheckButton({ onShow, short }: { onShow: () => void; short: boolean }) {
  const running = useChecking((work) => work.running);
  const start = () => {
    if (!running) void checkData();
    onShow();
  };
  return short ? (
    <IconButton label="Check the data" icon={IconStethoscope} onClick={start} />
  ) : (
    <Button size="xs" icon={IconStethoscope} onClick={start}>
      Check the data
    </Button>
  );
}

function MarkCount({ onShow }: { onShow: () => void }) {
  const count = useMarks(({ marks }) => marks.length);
  if (count === 0) return null;
  return (
    <Button size="xs" subtle onClick={onShow}>
      {plural(count, 'mark')}
    </Button>
  );
}
