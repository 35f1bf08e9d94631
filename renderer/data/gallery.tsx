/** A page of samples side by side: one is chosen by mouse or arrow keys, and marked by single keys. */
import { type CSSProperties, type KeyboardEvent, useEffect, useId, useRef } from 'react';
import type { DataFacts, PartName } from '../../engine/contract/tensors.ts';
import type { PreviewSample, ProjectPreview } from '../../engine/contract/wire.ts';
import { markOf, useMarks } from '../state/data-marks.ts';
import type { MarkValue } from '../state/mark-value.ts';
import { integer } from '../ui/index.ts';
import classes from './gallery.module.css';
import { pressMarkKey } from './mark-keys.ts';
import { type Layout, layoutOf } from './pixels.ts';
import { type Drawn, SampleView } from './sample-view.tsx';
import { captionOf, markName, maskOf } from './sample-words.ts';

export type Side = 'raw' | 'transformed' | 'both';

/** Pixels of a cell, by what is in it. */
export const cellOf = (layout: Layout, side: Side) => (side === 'both' ? 2 : 1) * (layout.kind === 'image' ? 92 : 120);

export interface GalleryProps {
  preview: ProjectPreview;
  facts: DataFacts;
  side: Side;
  part: PartName;
  /** Of the one that is looked at. */
  selected: number | null;
  onSelect: (index: number) => void;
  /** Enter: on to what is told of it. */
  onOpen: () => void;
  columns: number;
  /** To the page before or after, and there to its first or last sample. */
  onPage: (way: 'before' | 'after', to: 'first' | 'last') => void;
  /** Which of the page is chosen once it is there. */
  leftOut: ReadonlyMap<string, string>;
  arriving: { to: 'first' | 'last' } | null;
  onArrived: () => void;
}

export function Gallery(props: GalleryProps) {
  const { preview, facts, side, part, selected, onSelect, onOpen, columns, onPage, arriving, onArrived } = props;
  const { samples } = preview;
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const marks = useMarks();
  const at = samples.findIndex(({ index }) => index === selected);
  const layouts = {
    raw: layoutOf(preview.thumbs ? sizes(preview.thumbs.raw) : facts.input.dims),
    transformed: layoutOf(preview.thumbs ? sizes(preview.thumbs.transformed) : (preview.dims ?? facts.input.dims)),
  };

  useEffect(() => {
    if (arriving === null) return;
    const next = samples.at(arriving.to === 'first' ? 0 : -1);
    if (next) onSelect(next.index);
    onArrived();
  }, [arriving, samples, onSelect, onArrived]);

  // Only while the keyboard moves it: a page that scrolls by itself is in the way.
  useEffect(() => {
    if (at < 0 || document.activeElement !== list.current) return;
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const press = (event: KeyboardEvent) => {
    const chosen = samples[at];
    if (chosen && pressMarkKey(event, { part, sample: chosen, target: facts.target })) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      return onOpen();
    }
    if (event.key === 'PageDown' || event.key === 'PageUp') {
      event.preventDefault();
      return onPage(event.key === 'PageDown' ? 'after' : 'before', 'first');
    }
    const end = samples.length - 1;
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at < 0 ? 0 : at - 1,
      ArrowDown: at < 0 ? 0 : at + columns,
      ArrowUp: at < 0 ? 0 : at - columns,
    };
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? end : steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to < 0) onPage('before', 'last');
    else if (to > end) onPage('after', 'first');
    else onSelect((samples[to] as PreviewSample).index);
  };
  return (
    <ul
      ref={list}
      className={classes.gallery}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the samples are what is chosen from
      role="listbox"
      aria-label="Samples"
      data-samples=""
      tabIndex={0}
      aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
      style={{ '--cell': `${cellOf(layouts.raw, side)}px` } as CSSProperties}
      onKeyDown={press}
    >
      {samples.map((sample, place) => {
        const mark = marks.key === null ? (sample.mark ?? null) : markOf(marks, part, markName(sample));
        const bad = props.leftOut.get(`${part}\n${markName(sample)}`);
        const caption = captionOf(sample, facts.target);
        const called = `Sample ${integer(sample.index)}${caption === null ? '' : `, class ${caption}`}`;
        const view = (which: 'raw' | 'transformed') => (
          <SampleView
            drawn={drawnOf(sample, preview, which)}
            layout={layouts[which]}
            mask={maskOf(sample, which, facts.target)}
            text={which === 'raw' ? sample.text : undefined}
            label={which === 'raw' ? called : `${called}, transformed`}
          />
        );
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keyboard
          // biome-ignore lint/a11y/useFocusableInteractive: active by aria-activedescendant
          <li
            key={sample.index}
            id={`${id}-${place}`}
            className={classes.sample}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the samples are what is chosen from
            role="option"
            aria-selected={place === at}
            data-out={mark?.exclude || bad !== undefined || undefined}
            title={[sample.name, called, bad].filter(Boolean).join('\n')}
            onClick={() => onSelect(sample.index)}
            onDoubleClick={onOpen}
          >
            <span className={classes.pair}>
              {side !== 'transformed' && view('raw')}
              {side !== 'raw' && view('transformed')}
            </span>
            <span className={classes.caption} data-marked={mark !== null || bad !== undefined || undefined}>
              {stateWords(mark, bad, caption) ?? caption ?? `#${integer(sample.index)}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** What became of a sample, where that is more than its class. */
function stateWords(mark: MarkValue | null, bad: string | undefined, caption: string | null): string | null {
  if (bad !== undefined) return 'cannot be read';
  if (mark?.exclude) return 'left out';
  return mark?.label === undefined ? null : `${caption ?? '?'} → ${mark.label}`;
}

const sizes = ({ channels, height, width }: { channels: number; height: number; width: number }) => [
  channels,
  height,
  width,
];

export function drawnOf(sample: PreviewSample, preview: ProjectPreview, which: 'raw' | 'transformed'): Drawn {
  return sample.thumbs && preview.thumbs
    ? { thumb: sample.thumbs[which], size: preview.thumbs[which] }
    : { values: sample[which], range: preview.range[which] };
}
