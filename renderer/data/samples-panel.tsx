/** Real samples of the data: by part, class, name and mark, before and after the transforms. */
import { IconChevronLeft, IconChevronRight, IconChevronsLeft, IconChevronsRight } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { DataFacts, PartName } from '../../engine/contract/tensors.ts';
import type { ProjectPreview } from '../../engine/contract/wire.ts';
import { useMarks } from '../state/data-marks.ts';
import type { PreviewState, Wanted } from '../state/preview.ts';
import {
  EmptyState,
  IconButton,
  integer,
  Notice,
  number,
  Panel,
  Segmented,
  Skeleton,
  TextButton,
  useWidth,
} from '../ui/index.ts';
import type { SampleAt } from './address.ts';
import classes from './data.module.css';
import galleryClasses from './gallery.module.css';
import { cellOf, Gallery, type Side } from './gallery.tsx';
import { layoutOf } from './pixels.ts';
import { SampleFilter } from './sample-filter.tsx';
import { ScatterPlot } from './scatter-plot.tsx';

/** What a page of samples is asked by, but for how many there is room for. */
export type Filter = Omit<Wanted, 'count' | 'thumbs'>;

export interface SamplesPanelProps {
  facts: DataFacts | null;
  state: PreviewState;
  wanted: Wanted;
  onWant: (change: Partial<Filter>) => void;
  side: Side;
  onSide: (side: Side) => void;
  hasTransforms: boolean;
  hasRandom: boolean;
  /** Samples that validate are drawn from the training part. */
  isDrawn: boolean;
  /** How many stand side by side. */
  columns: number;
  onColumns: (columns: number) => void;
  selected: SampleAt | null;
  onSelect: (at: SampleAt | null) => void;
  onOpen: () => void;
  /** Why samples were left out by the import, by part and name. */
  leftOut: ReadonlyMap<string, string>;
}

export function SamplesPanel(props: SamplesPanelProps) {
  const { facts, state, wanted, onWant, side, onSide, hasTransforms, columns, onColumns, selected, onSelect } = props;
  const { preview, error, reading } = state;
  const { part, class: only } = wanted;
  const has = (name: PartName) => (facts?.parts[name] ?? 0) > 0;
  const isThere = part === 'train' || has(part);
  const shown = preview?.samples.length ?? 0;
  const [arriving, setArriving] = useState<{ to: 'first' | 'last' } | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const cell = cellOf(layoutOf(facts?.input.dims ?? [1, 28, 28]), hasTransforms ? side : 'raw');
  const fitting = width === 0 ? 0 : Math.max(1, Math.floor((width - 4 + 4) / (cell + 4)));
  useEffect(() => {
    if (fitting !== 0 && fitting !== columns) onColumns(fitting);
  }, [fitting, columns, onColumns]);

  // A part or class that the data no longer has.
  const classCount = facts?.target.kind === 'class' ? facts.target.classes.length : 0;
  useEffect(() => {
    if (facts === null) return;
    if (!isThere || (only !== null && only >= classCount)) {
      onWant({ part: isThere ? part : 'train', class: null, start: 0 });
    }
  }, [facts, part, isThere, only, classCount, onWant]);

  const total = preview?.total ?? 0;
  const last = Math.max(0, (Math.ceil(total / wanted.count) - 1) * wanted.count);
  const onPage = useCallback(
    (way: 'before' | 'after', to: 'first' | 'last') => {
      const next = wanted.start + (way === 'after' ? wanted.count : -wanted.count);
      if (next >= total || next + wanted.count <= 0) return;
      onWant({ start: Math.max(0, next) });
      setArriving({ to });
    },
    [wanted.start, wanted.count, total, onWant],
  );
  const select = useCallback((index: number) => onSelect({ part, index }), [onSelect, part]);
  const arrived = useCallback(() => setArriving(null), []);
  const isPlane = facts !== null && isPlaneOf(facts);
  return (
    <Panel
      title="Samples"
      actions={
        <>
          {hasTransforms && !isPlane && (
            <Segmented
              label="Values shown"
              value={side}
              options={[
                { value: 'raw', label: 'Original' },
                { value: 'transformed', label: 'Transformed' },
                { value: 'both', label: 'Both' },
              ]}
              onChange={onSide}
            />
          )}
          <Segmented
            label="Part shown"
            value={part}
            options={[
              { value: 'train', label: 'Training part' },
              ...(has('val') ? [{ value: 'val' as const, label: 'Validation part' }] : []),
              { value: 'test', label: 'Test part', disabled: !has('test') },
            ]}
            onChange={(next) => onWant({ part: next, start: 0 })}
          />
        </>
      }
      footer={
        reading || shown > 0 ? (
          <>
            <span className={classes.range}>
              {total > 0 && shown > 0
                ? `${integer(wanted.start + 1)}–${integer(wanted.start + shown)} of ${integer(total)}`
                : reading
                  ? 'Reading…'
                  : 'No samples'}
            </span>
            {!isPlane && (
              <>
                <Turn label="First samples" icon={IconChevronsLeft} to={0} {...{ wanted, onWant }} />
                <Turn
                  label="Earlier samples"
                  icon={IconChevronLeft}
                  to={wanted.start - wanted.count}
                  {...{ wanted, onWant }}
                />
                <Turn
                  label="Later samples"
                  icon={IconChevronRight}
                  to={Math.min(last, wanted.start + wanted.count)}
                  {...{ wanted, onWant }}
                />
                <Turn label="Last samples" icon={IconChevronsRight} to={last} {...{ wanted, onWant }} />
              </>
            )}
            <span className={classes.spring} />
            {preview && shown > 0 && <Ranges preview={preview} side={hasTransforms ? side : 'raw'} />}
          </>
        ) : undefined
      }
    >
      {facts && (
        <SampleFilter
          facts={facts}
          wanted={wanted}
          onWant={onWant}
          hasRandom={props.hasRandom && side !== 'raw'}
          isDrawn={props.isDrawn}
          isDivided={preview?.divided !== false}
        />
      )}
      {preview?.transformError && (
        <Notice tone="warn" title="The transforms cannot be applied, so the samples are shown without them">
          {preview.transformError}
        </Notice>
      )}
      <div
        ref={place}
        className={classes.galleryPlace}
        data-reading={(reading && shown > 0) || undefined}
        aria-busy={reading}
      >
        {preview && facts && shown > 0 ? (
          isPlane ? (
            <ScatterPlot
              preview={preview}
              facts={facts}
              part={part}
              selected={selected?.part === part ? selected.index : null}
              onSelect={select}
              onOpen={props.onOpen}
            />
          ) : (
            <Gallery
              preview={preview}
              facts={facts}
              side={hasTransforms ? side : 'raw'}
              part={part}
              selected={selected?.part === part ? selected.index : null}
              onSelect={select}
              onOpen={props.onOpen}
              leftOut={props.leftOut}
              columns={columns}
              onPage={onPage}
              arriving={reading ? null : arriving}
              onArrived={arrived}
            />
          )
        ) : reading ? (
          <div className={galleryClasses.gallery} style={{ '--cell': `${cell}px` } as React.CSSProperties}>
            {Array.from({ length: 3 * columns }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing but their place
              <Skeleton key={index} width={84} height={106} />
            ))}
          </div>
        ) : (
          <Nothing failed={error !== null} wanted={wanted} onWant={onWant} />
        )}
      </div>
    </Panel>
  );
}

/** Points of a plane are plotted all at once, and so are values over one number. */
export function isPlaneOf({ input, target }: DataFacts): boolean {
  const sizes = input.dims.reduce((product, size) => product * size, 1);
  const answers = target.kind === 'vector' ? target.dims.reduce((product, size) => product * size, 1) : 0;
  return input.dtype === 'float32' && (sizes === 2 || (sizes === 1 && answers === 1));
}

function Turn({
  to,
  wanted,
  onWant,
  ...button
}: {
  label: string;
  icon: typeof IconChevronLeft;
  to: number;
  wanted: Wanted;
  onWant: SamplesPanelProps['onWant'];
}) {
  const start = Math.max(0, to);
  return <IconButton {...button} disabled={start === wanted.start} onClick={() => onWant({ start })} />;
}

function Nothing({ failed, wanted, onWant }: { failed: boolean; wanted: Wanted; onWant: SamplesPanelProps['onWant'] }) {
  const anyMark = useMarks(({ marks }) => marks.length > 0);
  if (failed) {
    return (
      <EmptyState compact title="The samples cannot be read">
        What is wrong is told above.
      </EmptyState>
    );
  }
  const all = { class: null, search: '', marked: false, within: null, start: 0 };
  const filtered = wanted.class !== null || wanted.search !== '' || wanted.marked || wanted.within != null;
  const words = wanted.marked
    ? anyMark
      ? 'None of the marked samples is among these.'
      : 'Nothing is marked yet. Choose a sample, and leave it out with X or say its right class.'
    : wanted.search !== ''
      ? `No sample of this part has “${wanted.search}” in its name.`
      : wanted.class !== null
        ? 'There are no such samples of the class.'
        : wanted.within
          ? 'Which samples train and validate is told once the data can be divided.'
          : 'Samples appear here once a source is chosen.';
  return (
    <EmptyState
      compact
      title="No samples"
      action={filtered ? <TextButton onClick={() => onWant(all)}>Show all samples</TextButton> : undefined}
    >
      {words}
    </EmptyState>
  );
}

function Ranges({ preview, side }: { preview: ProjectPreview; side: Side }) {
  const text = ([least, most]: readonly [number, number]) => `${number(least, 3)} to ${number(most, 3)}`;
  const { raw, transformed } = preview.range;
  return (
    <span className={classes.range}>
      {side === 'raw'
        ? `Values ${text(raw)}`
        : side === 'transformed'
          ? `Values ${text(transformed)}`
          : `Values ${text(raw)}, then ${text(transformed)}`}
    </span>
  );
}
