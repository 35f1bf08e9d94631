/** Real samples of the data as a gallery: by part and class, before and after the transforms. */
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type CSSProperties, useEffect } from 'react';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import type { PreviewSample, ProjectPreview } from '../../engine/contract/wire.ts';
import type { PreviewState, Wanted } from '../state/preview.ts';
import {
  Choice,
  EmptyState,
  IconButton,
  integer,
  Notice,
  number,
  Panel,
  plural,
  Segmented,
  Skeleton,
  ToggleChip,
} from '../ui/index.ts';
import classes from './data.module.css';
import { type Layout, layoutOf } from './pixels.ts';
import { SampleView } from './sample-view.tsx';

export type Side = 'raw' | 'transformed' | 'both';

/** More classes than this are chosen from a list. */
const mostChips = 16;
const mostChoices = 1000;

export interface SamplesPanelProps {
  facts: DataFacts | null;
  state: PreviewState;
  wanted: Wanted;
  onWant: (wanted: Wanted) => void;
  side: Side;
  onSide: (side: Side) => void;
  hasTransforms: boolean;
}

export function SamplesPanel({ facts, state, wanted, onWant, side, onSide, hasTransforms }: SamplesPanelProps) {
  const { preview, error, reading } = state;
  const hasTest = (facts?.parts.test ?? 0) > 0;
  const total = preview?.total ?? 0;
  const shown = preview?.samples.length ?? 0;

  // A part or class that the data no longer has.
  const { part, class: only } = wanted;
  const classCount = facts?.target.kind === 'class' ? facts.target.classes.length : 0;
  useEffect(() => {
    if (facts === null) return;
    if ((part === 'test' && !hasTest) || (only !== null && only >= classCount)) {
      onWant({ ...wanted, part: hasTest ? part : 'train', class: null, start: 0 });
    }
  }, [facts, part, hasTest, only, classCount, onWant, wanted]);

  const move = (to: number) => onWant({ ...wanted, start: Math.max(0, to) });
  return (
    <Panel
      title="Samples"
      actions={
        <>
          {hasTransforms && (
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
              { value: 'test', label: 'Test part', disabled: !hasTest },
            ]}
            onChange={(next) => onWant({ ...wanted, part: next, start: 0 })}
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
            <IconButton
              label="Earlier samples"
              icon={IconChevronLeft}
              disabled={wanted.start === 0}
              onClick={() => move(wanted.start - wanted.count)}
            />
            <IconButton
              label="Later samples"
              icon={IconChevronRight}
              disabled={wanted.start + wanted.count >= total}
              onClick={() => move(wanted.start + wanted.count)}
            />
            <span className={classes.spring} />
            {preview && shown > 0 && <Ranges preview={preview} side={hasTransforms ? side : 'raw'} />}
          </>
        ) : undefined
      }
    >
      {facts?.target.kind === 'class' && (
        <ClassFilter
          classNames={facts.target.classes}
          counts={part === 'train' ? facts.target.counts : undefined}
          value={only}
          onChange={(next) => onWant({ ...wanted, class: next, start: 0 })}
        />
      )}
      {preview?.transformError && (
        <Notice tone="warn" title="The transforms cannot be applied, so the samples are shown without them">
          {preview.transformError}
        </Notice>
      )}
      <div className={classes.galleryPlace} data-reading={(reading && shown > 0) || undefined} aria-busy={reading}>
        {preview && facts && shown > 0 ? (
          <Gallery preview={preview} facts={facts} side={hasTransforms ? side : 'raw'} />
        ) : reading ? (
          <div className={classes.gallery}>
            {Array.from({ length: 24 }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing but their place
              <Skeleton key={index} width={84} height={84} />
            ))}
          </div>
        ) : (
          <EmptyState compact title={error ? 'The samples cannot be read' : 'No samples'}>
            {error
              ? 'What is wrong is told above.'
              : only === null
                ? 'Samples appear here once a source is chosen.'
                : 'This part has no samples of the class.'}
          </EmptyState>
        )}
      </div>
    </Panel>
  );
}

function ClassFilter({
  classNames,
  counts,
  value,
  onChange,
}: {
  classNames: readonly string[];
  counts: readonly number[] | undefined;
  value: number | null;
  onChange: (value: number | null) => void;
}) {
  if (classNames.length > mostChoices) return null;
  if (classNames.length > mostChips) {
    return (
      <div className={classes.filter}>
        <Choice
          label="Class shown"
          width={220}
          value={value === null ? 'all' : String(value)}
          options={[
            { value: 'all', label: 'All classes' },
            ...classNames.map((name, index) => {
              const count = counts?.[index];
              return { value: String(index), label: name, hint: count === undefined ? undefined : integer(count) };
            }),
          ]}
          onChange={(next) => onChange(next === 'all' ? null : Number(next))}
        />
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend
    <div className={classes.filter} role="group" aria-label="Class shown">
      <ToggleChip on={value === null} onToggle={() => onChange(null)}>
        All
      </ToggleChip>
      {classNames.map((name, index) => (
        <ToggleChip
          // biome-ignore lint/suspicious/noArrayIndexKey: a class is its index
          key={index}
          on={value === index}
          label={`Class ${name}`}
          title={counts ? plural(counts[index] ?? 0, 'sample') : undefined}
          onToggle={() => onChange(value === index ? null : index)}
        >
          {name}
        </ToggleChip>
      ))}
    </div>
  );
}

function Gallery({ preview, facts, side }: { preview: ProjectPreview; facts: DataFacts; side: Side }) {
  const layout = layoutOf(preview.facts.input.dims);
  const nameOf = ({ target }: PreviewSample) =>
    target !== null && facts.target.kind === 'class' ? (facts.target.classes[target] ?? String(target)) : null;
  return (
    <ul
      className={classes.gallery}
      aria-label="Samples"
      style={{ '--cell': `${(side === 'both' ? 2 : 1) * (layout.kind === 'image' ? 88 : 116)}px` } as CSSProperties}
    >
      {preview.samples.map((sample) => (
        <Sample
          key={sample.index}
          sample={sample}
          name={nameOf(sample)}
          layout={layout}
          range={preview.range}
          side={side}
        />
      ))}
    </ul>
  );
}

function Sample({
  sample,
  name,
  layout,
  range,
  side,
}: {
  sample: PreviewSample;
  name: string | null;
  layout: Layout;
  range: ProjectPreview['range'];
  side: Side;
}) {
  const called = `Sample ${integer(sample.index)}${name === null ? '' : `, class ${name}`}`;
  const view = (which: 'raw' | 'transformed') => (
    <SampleView
      values={sample[which]}
      layout={layout}
      range={range[which]}
      label={which === 'raw' ? called : `${called}, transformed`}
    />
  );
  return (
    <li className={classes.sample} title={called}>
      <span className={classes.pair}>
        {side !== 'transformed' && view('raw')}
        {side !== 'raw' && view('transformed')}
      </span>
      <span className={classes.caption}>{name ?? `#${integer(sample.index)}`}</span>
    </li>
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
