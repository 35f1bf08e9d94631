/** How the samples are shared out: what trains, what validates, what tests. */

import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import { isObject } from '../../engine/contract/report.ts';
import { splitFields } from '../../engine/contract/settings.ts';
import { ProblemList } from '../project-parts/problem-list.tsx';
import { change, changeWhile, useFormAt, useValueAt } from '../state/form.ts';
import { edit, usePlan, useProjectState } from '../state/project.ts';
import { IconButton, integer, percent, SchemaForm, Section, Segmented, Slider, StackedBar } from '../ui/index.ts';
import classes from './data.module.css';

const place = ['data', 'split'];
const standardFraction = 0.1;
/** What holds where nothing is said and the data have one. */
const ownPart = 'the validation part';

type Way = 'fraction' | 'val' | 'test' | 'none';

export function SplitSection() {
  const { value, problems, onChange } = useFormAt(place);
  const plan = usePlan();
  const group = groupOf(useValueAt(['data', 'source']));
  const facts = useProjectState((state) => state.facts);
  const val = plan?.project.data.split.val ?? standardFraction;
  // Whoever types 0.25 begins with a 0: the field must not go away below the hands.
  const [typing, setTyping] = useState(false);
  const way: Way = typeof val === 'string' ? val : val === 0 && !typing ? 'none' : 'fraction';
  const splits = plan?.splits ?? null;
  const choose = (next: Way) => {
    if (next === way) return;
    change([...place, 'val'], next === 'test' || next === 'val' ? next : next === 'none' ? 0 : standardFraction);
  };
  const parts = splits
    ? [
        { label: 'Training', value: splits.train, color: 'var(--series-0)' },
        {
          label:
            way === 'test' ? 'Validation, the test part' : way === 'val' ? 'Validation, its own part' : 'Validation',
          value: splits.val,
          color: 'var(--series-1)',
        },
        ...(splits.test !== null && way !== 'test'
          ? [{ label: 'Test', value: splits.test, color: 'var(--series-7)' }]
          : []),
      ]
    : null;
  const bad = problems.some(({ severity }) => severity === 'error');
  return (
    <Section title="Split" tone={bad ? 'bad' : problems.length > 0 ? 'warn' : undefined}>
      <div className={classes.stack}>
        {parts && <StackedBar label="Split" parts={parts} format={(amount) => integer(amount)} height={12} />}
        <div className={classes.line}>
          <Segmented
            label="Validate on"
            value={way}
            options={[
              { value: 'fraction', label: 'A fraction' },
              ...(facts?.parts.val || way === 'val' ? [{ value: 'val' as const, label: 'Validation part' }] : []),
              { value: 'test', label: 'Test part', disabled: facts !== null && !facts.parts.test && way !== 'test' },
              { value: 'none', label: 'Nothing' },
            ]}
            onChange={choose}
          />
          <span className={classes.spring} />
          {value.val !== undefined && way !== 'fraction' && (
            <IconButton
              label={`Reset validation to the default, ${facts?.parts.val ? ownPart : percent(standardFraction, 0)}`}
              icon={IconArrowBackUp}
              size={24}
              onClick={() => change([...place, 'val'], undefined)}
            />
          )}
        </div>
        <p className={way === 'test' ? classes.warn : classes.quiet}>{sentence(way)}</p>
        {group !== null && way === 'fraction' && (
          <p className={classes.quiet}>{`Whole groups are drawn: rows with the same ${group} stay together.`}</p>
        )}
        <ProblemList problems={problems.filter(({ path }) => !inForm(path, way))} here="data" />
        {way === 'fraction' && typeof val === 'number' && (
          <div className={classes.line}>
            <Slider
              label="Validation fraction"
              value={val}
              min={0.01}
              max={0.5}
              step={0.01}
              format={(fraction) => percent(fraction, 0)}
              onChange={(fraction) => changeWhile([...place, 'val'], fraction)}
            />
            <span className={classes.fraction}>{percent(val, 1)}</span>
          </div>
        )}
        {way === 'fraction' && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame and a legend
          <div
            role="group"
            aria-label="Drawn samples"
            onFocus={({ target }) => setTyping(target.matches('input[inputmode]'))}
            onBlur={() => setTyping(false)}
          >
            <SchemaForm
              shape={splitFields}
              only={facts && facts.target.kind !== 'class' ? ['val', 'seed'] : ['val', 'seed', 'stratify']}
              placeholders={facts?.parts.val ? { val: ownPart } : undefined}
              value={value}
              onChange={onChange}
              problems={problems}
              place="data.split"
              onFix={(fix) => edit(fix.edits)}
            />
          </div>
        )}
      </div>
    </Section>
  );
}

/** The column whose values keep samples together; null: none is named. */
export function groupOf(source: unknown): string | null {
  if (!isObject(source)) return null;
  if (typeof source.group === 'string') return source.group;
  const columns = isObject(source.columns) ? Object.entries(source.columns) : [];
  return columns.find(([, column]) => isObject(column) && column.role === 'group')?.[0] ?? null;
}

/** Whether the form shows a problem at its own field. */
function inForm(path: string, way: Way): boolean {
  return way === 'fraction' && Object.keys(splitFields).some((key) => path === `data.split.${key}`);
}

function sentence(way: Way): string {
  if (way === 'fraction') return 'Drawn from the training part, the same for the same seed; the test part stays apart.';
  if (way === 'val')
    return "Each epoch is judged on the source's own validation part; all of the training part trains.";
  if (way === 'test') {
    return 'The test part also picks the best checkpoint, so what it says of the network in the end is a little too good. Validate on a fraction to keep it apart.';
  }
  return 'Nothing is held back: the best checkpoint is then chosen by the training loss.';
}
