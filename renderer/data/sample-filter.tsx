/** Which samples are shown: of a class, by name, marked ones; and how training sees them in an epoch. */
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { DataFacts, PartName } from '../../engine/contract/tensors.ts';
import { useMarks } from '../state/data-marks.ts';
import type { Wanted } from '../state/preview.ts';
import { Choice, IconButton, integer, plural, SearchField, Segmented, ToggleChip } from '../ui/index.ts';
import classes from './data.module.css';
import { splitWords } from './sample-words.ts';
import type { Filter } from './samples-panel.tsx';

/** More classes than this are chosen from a list. */
const mostChips = 12;
const mostChoices = 1000;

export interface SampleFilterProps {
  facts: DataFacts;
  wanted: Wanted;
  onWant: (change: Partial<Filter>) => void;
  /** There are transforms that draw, and their work is shown. */
  hasRandom: boolean;
  /** Samples that validate are drawn from the training part. */
  isDrawn: boolean;
  /** It is known which. */
  isDivided: boolean;
}

export function SampleFilter({ facts, wanted, onWant, hasRandom, isDrawn, isDivided }: SampleFilterProps) {
  const count = useMarks(({ marks }) => marks.filter(({ part }) => part === wanted.part).length);
  const { target } = facts;
  return (
    <div className={classes.filter}>
      <SearchField
        label="Search samples by name"
        placeholder="Search by name"
        width={168}
        value={wanted.search}
        onChange={(search) => onWant({ search, start: 0 })}
      />
      {isDrawn && wanted.part === 'train' && (
        <SplitFilter
          value={wanted.within ?? null}
          isDivided={isDivided}
          onChange={(within) => onWant({ within, start: 0 })}
        />
      )}
      {target.kind === 'class' && (
        <ClassFilter
          classNames={target.classes}
          counts={wanted.part === 'train' && !wanted.within ? target.counts : undefined}
          value={wanted.class}
          onChange={(next) => onWant({ class: next, start: 0 })}
        />
      )}
      {(count > 0 || wanted.marked) && (
        <ToggleChip on={wanted.marked} onToggle={() => onWant({ marked: !wanted.marked, start: 0 })}>
          {`Marked only (${integer(count)})`}
        </ToggleChip>
      )}
      {hasRandom && <EpochChoice value={wanted.epoch} onChange={(epoch) => onWant({ epoch })} />}
    </div>
  );
}

function SplitFilter({
  value,
  isDivided,
  onChange,
}: {
  value: PartName | null;
  isDivided: boolean;
  onChange: (value: PartName | null) => void;
}) {
  return (
    <>
      <Segmented
        label="Split shown"
        value={value ?? 'all'}
        options={[
          { value: 'all', label: 'All' },
          { value: 'train', label: splitWords.train, disabled: !isDivided },
          { value: 'val', label: splitWords.val, disabled: !isDivided },
        ]}
        onChange={(next) => onChange(next === 'all' ? null : (next as PartName))}
      />
      {!isDivided && <span className={classes.quiet}>Which samples validate is known once the data are imported.</span>}
    </>
  );
}

/** Transforms that draw do so anew in each epoch, the same for the same seed. */
export function EpochChoice({ value, onChange }: { value: number | null; onChange: (epoch: number | null) => void }) {
  return (
    <span className={classes.epoch}>
      <Segmented
        label="Transformed as"
        value={value === null ? 'evaluation' : 'training'}
        options={[
          { value: 'evaluation', label: 'Evaluation' },
          { value: 'training', label: 'Training' },
        ]}
        onChange={(as) => onChange(as === 'evaluation' ? null : 0)}
      />
      {value !== null && (
        <>
          <IconButton
            label="The epoch before"
            icon={IconChevronLeft}
            disabled={value === 0}
            onClick={() => onChange(value - 1)}
          />
          <span className={classes.epochNumber}>{`epoch ${integer(value + 1)}`}</span>
          <IconButton label="The next epoch" icon={IconChevronRight} onClick={() => onChange(value + 1)} />
        </>
      )}
    </span>
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
  if (classNames.length > mostChips || classNames.join('').length > 72) {
    return (
      <Choice
        label="Class shown"
        width={200}
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
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend
    <div className={classes.chips} role="group" aria-label="Class shown">
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
