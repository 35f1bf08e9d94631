/** Which metrics are measured, each with its arguments: added from those that fit the targets, changed in place, taken away. */
import { IconChevronRight, IconX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { type MetricKind, metricLabel, metrics } from '../../engine/contract/metrics.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { change, changeWhile, useValueAt } from '../state/form.ts';
import { problemsAt, useProblems } from '../state/problems.ts';
import { edit, useProjectState } from '../state/project.ts';
import { factsKnown } from '../state/stack-store.ts';
import { Button, Choice, type ChoiceOption, IconButton, Nested, SchemaForm, SettingRow } from '../ui/index.ts';
import { unfit } from './fits.ts';
import { addition, argumentsOf, type Item, keyOf, kindOf, withArgument } from './metric-items.ts';
import classes from './metrics.module.css';

const place = ['training', 'metrics'];

export function MetricsField({ plan }: { plan: Plan }) {
  const id = useId();
  const written = useValueAt(place);
  const problems = problemsAt(useProblems(), place.join('.'));
  const facts = useProjectState((state) => state.facts);
  const target = factsKnown(plan, facts)?.target.kind ?? null;
  const list: readonly Item[] = Array.isArray(written)
    ? written
    : plan.project.training.metrics.map(({ kind }) => kind);
  const own = problems.filter(({ path }) => path === 'training.metrics');
  const options = optionsOf(list, (row) => unfit(row, target));
  return (
    <div>
      <SettingRow
        id={id}
        label="Metrics"
        help="Measured after each epoch besides the loss; they do not change what is learned."
        problems={own}
        onFix={(fix) => edit(fix.edits)}
        onReset={written === undefined ? undefined : () => change(place, undefined)}
        standard="what is usual for the targets"
      >
        <Choice
          id={id}
          label="Add a metric"
          placeholder="Add a metric"
          value={null}
          options={options}
          onChange={(kind) => {
            const row = metrics.get(kind);
            const item = row && addition(list, row);
            if (item) change(place, [...list, item]);
          }}
        />
      </SettingRow>
      <ul className={classes.metrics} aria-label="Metrics measured">
        {list.length === 0 && <li className={classes.quiet}>Only the loss is measured.</li>}
        {list.map((item, index) => (
          <Metric
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is what it is by its place
            key={`${index} ${kindOf(item)}`}
            item={item}
            index={index}
            onChange={(name, value) => changeWhile(place, withArgument(list, index, name, value))}
            onRemove={() => change(place, list.toSpliced(index, 1))}
          />
        ))}
      </ul>
    </div>
  );
}

function Metric({
  item,
  index,
  onChange,
  onRemove,
}: {
  item: Item;
  index: number;
  onChange: (name: string, value: unknown) => void;
  onRemove: () => void;
}) {
  const id = useId();
  const row = metrics.get(kindOf(item));
  const at = [...place, index].join('.');
  const problems = problemsAt(useProblems(), at);
  const [open, setOpen] = useState(false);
  const shown = open || problems.some(({ path }) => path !== at);
  const key = keyOf(item);
  const label = (key === null ? null : metricLabel(key)) ?? kindOf(item);
  const more = row !== undefined && Object.keys(row.params).length > 0;
  const inFields = row ? Object.keys(row.params).map((name) => `${at}.${name}`) : [];
  return (
    <li className={classes.metric}>
      <div className={classes.metricHead}>
        {more ? (
          <button
            type="button"
            className={classes.metricFold}
            aria-expanded={shown}
            aria-controls={id}
            onClick={() => setOpen(!shown)}
          >
            <IconChevronRight size={14} data-open={shown || undefined} aria-hidden />
            {label}
          </button>
        ) : (
          <span className={classes.metricName}>{label}</span>
        )}
        <IconButton label={`Remove ${label}`} icon={IconX} size={24} onClick={onRemove} />
      </div>
      {problems
        .filter(({ path }) => !inFields.includes(path))
        .map(({ message, fixes }) => (
          <div key={message} className={classes.wrong}>
            {message}{' '}
            {fixes.map((fix) => (
              <Button key={fix.label} size="xs" onClick={() => edit(fix.edits)}>
                {fix.label}
              </Button>
            ))}
          </div>
        ))}
      {shown && row && (
        <div id={id}>
          <Nested>
            <p className={classes.quiet}>{row.help}</p>
            <SchemaForm
              shape={row.params}
              value={argumentsOf(item)}
              place={at}
              problems={problems}
              onChange={onChange}
              onFix={(fix) => edit(fix.edits)}
            />
          </Nested>
        </div>
      )}
    </li>
  );
}

/** Those that fit first; the others with the reason. */
function optionsOf(list: readonly Item[], why: (row: MetricKind) => string | null): ChoiceOption[] {
  const options = [...metrics.values()].map((row): ChoiceOption => {
    const reason = why(row) ?? (addition(list, row) === null ? 'Measured already' : null);
    return { value: row.kind, label: row.label, hint: row.kind, help: reason ?? row.help, disabled: reason !== null };
  });
  return [...options.filter(({ disabled }) => !disabled), ...options.filter(({ disabled }) => disabled)];
}
