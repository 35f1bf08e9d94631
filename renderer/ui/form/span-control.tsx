/** Sizes of a window: one number for every side, or each side's own; paddings have words besides. */
import { Select } from '@mantine/core';
import { IconLink, IconLinkOff } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { sideNames } from '../../../engine/contract/fields.ts';
import { IconButton } from '../basics/buttons.tsx';
import { takeBack, useDraft } from './draft.ts';
import { selectOnFirstClick } from './first-click.ts';
import classes from './form.module.css';
import { parseSpan, showDefault, showValue, sidesOf, stepText } from './parse.ts';
import { useTold } from './told.ts';
import type { ControlProps } from './types.ts';

/** "height", "height and width", "depth, height and width". */
function inWords(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

export function SpanControl(props: ControlProps) {
  const { id, labelId, describedBy, schema, info, value, invalid, disabled, onChange, onProblem } = props;
  const names = sideNames[info.rank ?? 2];
  const [split, setSplit] = useState(Array.isArray(value));
  const show = (shown: unknown): string[] => {
    if (!Array.isArray(shown)) return new Array<string>(split ? names.length : 1).fill(showValue(shown));
    return names.map((_, side) => showValue(shown[side]));
  };
  const draft = useDraft<string[]>(value, show, (texts) => parseSpan(schema, texts), onChange);
  useTold(draft.problem, onProblem);
  // A list that came from elsewhere needs all fields, whatever was chosen here.
  const apart = names.length > 1 && (split || draft.text.length > 1);
  const shown = apart ? names : names.slice(0, 1);
  const standard = sidesOf(info.default, names.length);
  const whole = !schema.safeParse(1.5).success;
  const toggle = () => {
    const [first = ''] = draft.text;
    setSplit(!apart);
    draft.type(new Array<string>(apart ? 1 : names.length).fill(first));
  };
  const withSide = (side: number, text: string) =>
    shown.map((_, each) => (each === side ? text : (draft.text[each] ?? '')));
  const press = (event: KeyboardEvent, side: number) => {
    if (takeBack(event, draft)) return;
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    const typed = draft.text[side] ?? '';
    const from = typed === '' ? showValue(standard[side]) : typed;
    const next = stepText(from, event.key === 'ArrowUp', event.shiftKey, whole);
    if (next === null) return;
    event.preventDefault();
    const texts = withSide(side, next);
    if (!('problem' in parseSpan(schema, texts))) draft.type(texts);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend, the row has both
    <div className={classes.span} role="group" aria-labelledby={labelId} data-sides={shown.length}>
      {shown.map((name, side) => (
        <span key={name} className={classes.side}>
          {side > 0 && (
            <span className={classes.times} aria-hidden>
              ×
            </span>
          )}
          <input
            id={side === 0 ? id : `${id}-${name}`}
            className={classes.input}
            data-number
            data-undo="project"
            aria-label={apart ? `${info.label} ${name}` : undefined}
            aria-describedby={describedBy}
            aria-invalid={invalid || undefined}
            inputMode={whole ? 'numeric' : 'decimal'}
            placeholder={
              info.default === undefined || info.default === null ? showDefault(info) : showValue(standard[side])
            }
            value={draft.text[side] ?? ''}
            disabled={disabled}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => draft.type(withSide(side, event.currentTarget.value))}
            onKeyDown={(event) => press(event, side)}
            {...selectOnFirstClick}
          />
        </span>
      ))}
      {names.length > 1 && (
        <IconButton
          label={apart ? `Use one number for ${inWords(names)}` : `Set ${inWords(names)} apart`}
          icon={apart ? IconLinkOff : IconLink}
          size={24}
          active={apart}
          disabled={disabled}
          onClick={toggle}
        />
      )}
    </div>
  );
}

const words = ['same', 'valid'] as const;

export function PaddingControl(props: ControlProps) {
  const { schema, info, value, disabled, onChange } = props;
  // Transposed convolutions know neither word.
  const known = words.filter((word) => schema.safeParse(word).success);
  const word = known.find((each) => each === value);
  return (
    <div className={classes.padding}>
      {word === undefined && <SpanControl {...props} />}
      {known.length > 0 && (
        <Select
          {...(word === undefined ? {} : { id: props.id })}
          className={classes.word as string}
          aria-label={`Kind of ${info.label.toLowerCase()}`}
          data={['size', ...known]}
          rightSectionWidth={18}
          comboboxProps={{ width: 'max-content' }}
          value={word ?? 'size'}
          disabled={disabled}
          onChange={(chosen) => onChange(chosen === 'size' ? undefined : chosen)}
        />
      )}
    </div>
  );
}
