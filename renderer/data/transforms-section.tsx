/** The transforms as a small stack: added, removed, moved, each with its form and what the network gets of it. */
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash, IconWand } from '@tabler/icons-react';
import { useState } from 'react';
import { fieldInfo } from '../../engine/contract/fields.ts';
import { isObject, removeEdit } from '../../engine/contract/report.ts';
import { sources } from '../../engine/contract/sources.ts';
import { transforms } from '../../engine/contract/transforms.ts';
import type { ProjectPreview } from '../../engine/contract/wire.ts';
import { ProblemList } from '../project-parts/problem-list.tsx';
import { useFormAt, useValueAt } from '../state/form.ts';
import { problemsAt, useProblems } from '../state/problems.ts';
import { edit } from '../state/project.ts';
import { type StageWish, useStages } from '../state/transform-stages.ts';
import { Button, EmptyState, IconButton, Menu, plural, SchemaForm, Section } from '../ui/index.ts';
import classes from './data.module.css';
import { layoutOf } from './pixels.ts';
import { SampleView } from './sample-view.tsx';
import { normalizeFrom } from './statistics.ts';
import { addTransform, moveTransform, removeTransform } from './transform-edits.ts';

const place = ['data', 'transforms'];
/** Of the picture in a transform's head. */
export const stageSide = 32;

export interface TransformsSectionProps {
  preview: ProjectPreview | null;
  /** The sample that is shown after each of them. */
  wish: StageWish | null;
}

export function TransformsSection({ preview, wish }: TransformsSectionProps) {
  const pictured = wish !== null && preview !== null && layoutOf(preview.facts.input.dims).kind === 'image';
  const stages = useStages(pictured ? wish : null);
  const written = useValueAt(place);
  const kindOfSource = useValueAt(['data', 'source', 'kind']);
  const list: unknown[] = Array.isArray(written) ? written : [];
  const problems = useProblems();
  const ofList = problems.filter(({ path }) => path === 'data.transforms');
  const all = problemsAt(problems, 'data.transforms');
  const tone = all.some(({ severity }) => severity === 'error') ? 'bad' : all.length > 0 ? 'warn' : undefined;
  return (
    <Section
      title="Transforms"
      tone={tone}
      actions={
        <Menu
          label="Kinds of transform"
          align="end"
          width={320}
          trigger={
            <Button size="xs" icon={IconPlus}>
              Add transform
            </Button>
          }
          items={[...transforms.values()].map(({ kind, label, beginning }) => ({
            label: kind,
            ...(label === kind ? {} : { hint: label }),
            onClick: () =>
              edit(addTransform(written, { kind, ...beginning?.(preview?.dims ?? preview?.facts.input.dims ?? []) })),
          }))}
        />
      }
    >
      <div className={classes.stack}>
        <ProblemList problems={ofList} here="data" />
        {list.length === 0 ? (
          <EmptyState compact title="No transforms">
            {plainSentence(kindOfSource, preview)}
          </EmptyState>
        ) : (
          <ol className={classes.transforms}>
            {list.map((item, index) => (
              <Item
                // biome-ignore lint/suspicious/noArrayIndexKey: two transforms may be equal
                key={index}
                item={item}
                index={index}
                list={list}
                preview={preview}
                stage={stages[index] ?? null}
                pictured={pictured}
              />
            ))}
          </ol>
        )}
      </div>
    </Section>
  );
}

/** What the network gets where nothing is done to the samples. */
function plainSentence(kind: unknown, preview: ProjectPreview | null): string {
  if (sources.get(String(kind))?.fitted) {
    return 'The network gets the columns as they are encoded: numbers scaled as chosen for each column, categories one value each.';
  }
  const input = preview?.facts.input;
  if (input?.dtype === 'int64') return 'The network gets the numbers of the tokens.';
  const isPicture = input !== undefined && layoutOf(input.dims).kind === 'image';
  return isPicture
    ? 'The network gets the pictures with values from 0 to 1.'
    : 'The network gets the samples as they are.';
}

function Item({
  item,
  index,
  list,
  preview,
  stage,
  pictured,
}: {
  item: unknown;
  index: number;
  list: readonly unknown[];
  preview: ProjectPreview | null;
  stage: ProjectPreview | null;
  pictured: boolean;
}) {
  const at = [...place, index];
  const { value, problems, onChange } = useFormAt(at);
  const [open, setOpen] = useState(false);
  const kind = isObject(item) && typeof item.kind === 'string' ? item.kind : null;
  const row = kind === null ? undefined : transforms.get(kind);
  const name = kind ?? 'Transform without a kind';
  const own = problems.filter(({ path }) => path === at.join('.') || path === `${at.join('.')}.kind`);
  const shown = open || problems.length > 0;
  const fits = kind === 'Normalize' && row?.params.mean !== undefined && fieldInfo(row.params.mean).default === null;
  const isFitted = fits && (value.mean ?? null) === null && (value.std ?? null) === null;
  const measured = kind === 'Normalize' && preview && index === 0 ? measure(preview) : null;
  return (
    <li className={classes.transform} data-bad={problems.some(({ severity }) => severity === 'error') || undefined}>
      <div className={classes.transformHead}>
        {pictured && <Stage stage={stage} name={name} />}
        <button
          type="button"
          className={classes.transformName}
          aria-expanded={shown}
          disabled={!row}
          onClick={() => setOpen(!open)}
        >
          <span>{name}</span>
          {!shown && row && (
            <span className={classes.quiet}>{isFitted ? 'fitted on the samples that train' : sentence(value)}</span>
          )}
        </button>
        <IconButton
          label={`Move ${name} up`}
          icon={IconArrowUp}
          size={24}
          disabled={index === 0}
          onClick={() => edit(moveTransform(list, index, index - 1))}
        />
        <IconButton
          label={`Move ${name} down`}
          icon={IconArrowDown}
          size={24}
          disabled={index === list.length - 1}
          onClick={() => edit(moveTransform(list, index, index + 1))}
        />
        <IconButton
          label={`Remove ${name}`}
          icon={IconTrash}
          size={24}
          danger
          onClick={() => edit(removeTransform(index))}
        />
      </div>
      {own.length > 0 && (
        <div className={classes.transformProblems}>
          <ProblemList problems={own} here="data" />
        </div>
      )}
      {shown && row && (
        <div className={classes.transformBody}>
          <p className={classes.quiet}>{row.help}</p>
          <SchemaForm
            shape={row.params}
            value={value}
            onChange={onChange}
            problems={problems}
            place={at.join('.')}
            onFix={(fix) => edit(fix.edits)}
          />
          {fits && !isFitted && (
            <Button
              size="xs"
              icon={IconWand}
              title="A run measures mean and deviation of each channel on the samples that train, and keeps them"
              onClick={() => edit(['mean', 'std'].filter((key) => key in value).map((key) => removeEdit([...at, key])))}
            >
              Fit on the samples that train
            </Button>
          )}
          {measured && (
            <Button
              size="xs"
              icon={IconWand}
              title={`Mean ${measured.mean.join(', ')}, deviation ${measured.std.join(', ')}`}
              onClick={() =>
                edit([
                  { op: 'set', path: [...at, 'mean'], value: measured.mean },
                  { op: 'set', path: [...at, 'std'], value: measured.std },
                ])
              }
            >
              {`Measure on the ${plural(preview?.samples.length ?? 0, 'sample')} shown`}
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

function measure({ samples, facts }: ProjectPreview): { mean: number[]; std: number[] } | null {
  return normalizeFrom(
    samples.map(({ raw }) => raw),
    facts.input.dims,
  );
}

/** The sample as this one leaves it. */
function Stage({ stage, name }: { stage: ProjectPreview | null; name: string }) {
  const thumb = stage?.samples[0]?.thumbs?.transformed;
  const size = stage?.thumbs?.transformed;
  return (
    <span className={classes.stage}>
      {thumb !== undefined && size && (
        <SampleView
          drawn={{ thumb, size }}
          layout={{ kind: 'image', ...size }}
          wanted={stageSide}
          label={`After ${name}`}
        />
      )}
    </span>
  );
}

/** `mean 0.5, std 0.5`. */
function sentence(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .filter(([key]) => key !== 'kind')
    .map(([key, given]) => `${key} ${Array.isArray(given) ? given.join(', ') : String(given)}`)
    .join(', ');
}
