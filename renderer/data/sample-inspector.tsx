/** One sample in full: as it lies in the data and as the network receives it, what it is called, and what a person marks on it. */
import { IconChevronLeft, IconChevronRight, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, type Ref, useState } from 'react';
import type { DataFacts } from '../../engine/contract/tensors.ts';
import type { PreviewSample, ProjectPreview } from '../../engine/contract/wire.ts';
import { useMarks } from '../state/data-marks.ts';
import { usePreview } from '../state/preview.ts';
import { dims as dimsText, Facts, IconButton, integer, KeyHint, number, Skeleton } from '../ui/index.ts';
import type { SampleAt } from './address.ts';
import classes from './inspector.module.css';
import { pressMarkKey } from './mark-keys.ts';
import { layoutOf } from './pixels.ts';
import { SampleMark } from './sample-mark.tsx';
import { SampleView } from './sample-view.tsx';
import { captionOf, markName, maskOf, splitsText } from './sample-words.ts';
import { spreadOf } from './statistics.ts';

export interface SampleInspectorProps {
  at: SampleAt;
  facts: DataFacts;
  hasTransforms: boolean;
  /** As training sees it in this epoch; null: as evaluation does. */
  epoch: number | null;
  round: number;
  onLook: (at: SampleAt | null) => void;
  ref?: Ref<HTMLDivElement>;
}

const partWords = { train: 'training part', val: 'validation part', test: 'test part' } as const;

export function SampleInspector({ at, facts, hasTransforms, epoch, round, onLook, ref }: SampleInspectorProps) {
  const { part, index } = at;
  const wanted = {
    part,
    start: index,
    count: 1,
    class: null,
    search: '',
    marked: false,
    epoch,
    thumbs: null,
    splits: true,
  };
  // What is left out is in no split any more.
  const marksChanged = useMarks(({ changes }) => changes);
  const { preview, error, reading } = usePreview(wanted, round + marksChanged);
  const sample = preview?.samples[0];
  const count = preview?.total ?? facts.parts[part] ?? 0;
  const isThis = sample?.index === index;
  const press = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      onLook(null);
    } else if (isThis && pressMarkKey(event, { part, sample, target: facts.target })) return;
    else if (event.key === 'ArrowRight' && index + 1 < count) onLook({ part, index: index + 1 });
    else if (event.key === 'ArrowLeft' && index > 0) onLook({ part, index: index - 1 });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: single keys mark what is looked at
    <div ref={ref} className={classes.inspector} tabIndex={-1} onKeyDown={press}>
      <header className={classes.head}>
        <h2 className={classes.title} title={sample && isThis ? markName(sample) : undefined}>
          {(isThis && sample?.name) || `Sample ${integer(index)}`}
        </h2>
        <IconButton
          label="The sample before"
          icon={IconChevronLeft}
          size={24}
          disabled={index === 0}
          onClick={() => onLook({ part, index: index - 1 })}
        />
        <IconButton
          label="The next sample"
          icon={IconChevronRight}
          size={24}
          disabled={index + 1 >= count}
          onClick={() => onLook({ part, index: index + 1 })}
        />
        <IconButton label="Close the sample" icon={IconX} size={24} keys="Escape" onClick={() => onLook(null)} />
      </header>
      {sample && preview ? (
        <div data-reading={(reading && !isThis) || undefined} className={classes.content}>
          <Looks sample={sample} preview={preview} facts={facts} hasTransforms={hasTransforms} epoch={epoch} />
          {/* Of each sample its own: a note that was typed on one is not another's. */}
          <SampleMark key={`${part} ${sample.index}`} at={{ part, sample, target: facts.target }} />
          <SampleFacts sample={sample} preview={preview} facts={facts} part={part} hasTransforms={hasTransforms} />
          <p className={classes.keys}>
            <KeyHint keys="X" /> leaves it out
            {facts.target.kind === 'class' && (
              <>
                {' · '}
                <KeyHint keys="1" />, <KeyHint keys="2" />, … say its class
              </>
            )}
            {' · '}
            <KeyHint keys="Mod+Z" /> takes a mark back
          </p>
        </div>
      ) : reading ? (
        <div className={classes.content}>
          <Skeleton height={300} />
          <Skeleton kind="text" lines={5} />
        </div>
      ) : (
        <p className={classes.gone}>
          {error ? error.message : `The ${partWords[part]} has no sample ${integer(index)}.`}
        </p>
      )}
    </div>
  );
}

const large = 296;
const plot = { width: 300, height: 140 };

function Looks({
  sample,
  preview,
  facts,
  hasTransforms,
  epoch,
}: {
  sample: PreviewSample;
  preview: ProjectPreview;
  facts: DataFacts;
  hasTransforms: boolean;
  epoch: number | null;
}) {
  const shown = hasTransforms ? (['raw', 'transformed'] as const) : (['raw'] as const);
  const [point, setPoint] = useState<{ row: number; column: number } | null>(null);
  const sizes = { raw: facts.input.dims, transformed: preview.dims ?? facts.input.dims };
  return (
    <div className={classes.looks} data-two={hasTransforms || undefined}>
      {shown.map((which) => {
        const layout = layoutOf(sizes[which]);
        const wanted = hasTransforms ? large / 2 - 6 : large;
        const told = which === 'raw' ? 'As it is' : epoch === null ? 'To evaluate' : `In epoch ${epoch + 1}`;
        return (
          <figure key={which} className={classes.look} data-wide={layout.kind !== 'image' || undefined}>
            <SampleView
              drawn={{ values: sample[which], range: preview.range[which] }}
              layout={layout}
              wanted={wanted}
              plot={plot}
              mask={maskOf(sample, which, facts.target)}
              text={which === 'raw' ? sample.text : undefined}
              label={which === 'raw' ? 'The sample as it is' : 'The sample as the network receives it'}
              onPoint={setPoint}
            />
            <figcaption>
              {point !== null && layout.kind === 'image' ? (
                <span className={classes.figure}>{valuesAt(sample[which], sizes[which], point)}</span>
              ) : (
                told
              )}
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}

function valuesAt(
  values: readonly number[],
  size: readonly number[],
  { row, column }: { row: number; column: number },
): string {
  const [channels = 1, height = 1, width = 1] = size.length === 2 ? [1, ...size] : size;
  if (row >= height || column >= width) return '';
  return Array.from({ length: Math.min(channels, 4) }, (_, channel) =>
    number(values[(channel * height + row) * width + column] ?? Number.NaN, 3),
  ).join(' ');
}

function SampleFacts({
  sample,
  preview,
  facts,
  part,
  hasTransforms,
}: {
  sample: PreviewSample;
  preview: ProjectPreview;
  facts: DataFacts;
  part: SampleAt['part'];
  hasTransforms: boolean;
}) {
  const caption = captionOf(sample, facts.target);
  const spread = (values: readonly number[]) => {
    const found = spreadOf([values]);
    return found === null
      ? 'no values'
      : `${number(found.mean, 3)} ± ${number(found.std, 3)}, ${number(found.least, 3)} to ${number(found.most, 3)}`;
  };
  const after = preview.dims ?? facts.input.dims;
  return (
    <Facts
      rows={[
        ...(caption === null ? [] : [['Target', caption] as const]),
        ...(sample.splits === undefined ? [] : [['Split', splitsText(sample.splits)] as const]),
        ['Place', `${integer(sample.index)} of the ${partWords[part]}`] as const,
        ...(sample.name === undefined
          ? []
          : [
              [
                'Name',
                <span key="name" className={classes.name}>
                  {sample.name}
                </span>,
              ] as const,
            ]),
        [
          'Size',
          `${dimsText(facts.input.dims)}${hasTransforms && String(after) !== String(facts.input.dims) ? ` → ${dimsText(after)}` : ''}`,
        ] as const,
        ...(facts.input.dtype === 'int64' ? [] : [['Values', spread(sample.raw)] as const]),
        ...(hasTransforms ? [['Transformed', spread(sample.transformed)] as const] : []),
      ]}
    />
  );
}
