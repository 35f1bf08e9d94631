/** Sizes of a window: one number for both directions, or height and width apart; paddings have words besides. */
import { IconLink, IconLinkOff } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { IconButton } from '../basics/buttons.tsx';
import { useDraft } from './draft.ts';
import classes from './form.module.css';
import { parsePair, showDefault, showValue, sidesOf, stepText } from './parse.ts';
import { useTold } from './told.ts';
import type { ControlProps } from './types.ts';

type Texts = readonly [string] | readonly [string, string];

export function PairControl(props: ControlProps) {
  const { id, labelId, describedBy, schema, info, value, invalid, disabled, onChange, onProblem } = props;
  const [split, setSplit] = useState(Array.isArray(value));
  const show = (shown: unknown): Texts => {
    if (!Array.isArray(shown)) return split ? [showValue(shown), showValue(shown)] : [showValue(shown)];
    return [showValue(shown[0]), showValue(shown[1])];
  };
  const draft = useDraft<Texts>(value, show, (texts) => parsePair(schema, texts), onChange);
  useTold(draft.problem, onProblem);
  // A pair that came from elsewhere needs both fields, whatever was chosen here.
  const apart = split || draft.text.length === 2;
  const standard = sidesOf(info.default);
  const toggle = () => {
    const [first] = draft.text;
    setSplit(!apart);
    draft.type(apart ? [first] : [first, first]);
  };
  const side = (place: 0 | 1, name: string) => (
    <input
      id={place === 0 ? id : `${id}-width`}
      className={classes.input}
      data-number
      aria-label={apart ? `${info.label} ${name}` : undefined}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      inputMode="numeric"
      placeholder={info.default === undefined || info.default === null ? showDefault(info) : showValue(standard[place])}
      value={draft.text[place] ?? ''}
      disabled={disabled}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => draft.type(withSide(draft.text, place, event.currentTarget.value))}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
        const typed = draft.text[place] ?? '';
        const next = stepText(
          typed === '' ? showValue(standard[place]) : typed,
          event.key === 'ArrowUp',
          event.shiftKey,
          true,
        );
        const texts = next === null ? null : withSide(draft.text, place, next);
        if (!texts) return;
        event.preventDefault();
        if (!('problem' in parsePair(schema, texts))) draft.type(texts);
      }}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend, the row has both
    <div className={classes.pair} role="group" aria-labelledby={labelId}>
      {side(0, 'height')}
      {apart && (
        <>
          <span className={classes.times} aria-hidden>
            ×
          </span>
          {side(1, 'width')}
        </>
      )}
      <IconButton
        label={apart ? 'Use one number for height and width' : 'Set height and width apart'}
        icon={apart ? IconLinkOff : IconLink}
        size={24}
        active={apart}
        disabled={disabled}
        onClick={toggle}
      />
    </div>
  );
}

function withSide(texts: Texts, place: 0 | 1, text: string): Texts {
  if (texts.length === 1) return [text];
  return place === 0 ? [text, texts[1]] : [texts[0], text];
}

const words = ['same', 'valid'] as const;

export function PaddingControl(props: ControlProps) {
  const { info, value, disabled, onChange } = props;
  const word = words.find((each) => each === value);
  return (
    <div className={classes.padding}>
      {word === undefined && <PairControl {...props} />}
      <select
        {...(word === undefined ? {} : { id: props.id })}
        className={classes.native}
        aria-label={`Kind of ${info.label.toLowerCase()}`}
        value={word ?? 'size'}
        disabled={disabled}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          onChange(chosen === 'size' ? undefined : chosen);
        }}
      >
        <option value="size">size</option>
        {words.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </div>
  );
}
