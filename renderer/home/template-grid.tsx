/** The templates: found by words and by kind, with their own data or with one's own. */
import { useMemo, useState } from 'react';
import { speedHere } from '../../engine/contract/epoch-times.ts';
import type { TemplateCard } from '../../engine/contract/wire.ts';
import { templateFit, templateOf, useChosenData } from '../state/fitting.ts';
import { useProjects } from '../state/projects.ts';
import { useRuns } from '../state/runs.ts';
import { Button, EmptyState, Skeleton } from '../ui/index.ts';
import { FitTemplateDialog } from './fit-template-dialog.tsx';
import { allCategories, GalleryTools } from './gallery-tools.tsx';
import classes from './home.module.css';
import { Template } from './template-card.tsx';

/** As many as a window shows: nothing moves when they come. */
const placeholders = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

export interface TemplateGridProps {
  busy: string | null;
  /** `from`: with these data. */
  onChoose: (name: string, from: string | null) => void;
}

export function TemplateGrid({ busy, onChoose }: TemplateGridProps) {
  const templates = useProjects((state) => state.templates);
  const data = useChosenData((state) => state.data);
  const [words, setWords] = useState('');
  const [category, setCategory] = useState(allCategories);
  const [looking, setLooking] = useState<TemplateCard | null>(null);
  const speed = useSpeed(templates);
  const categories = [...new Set((templates ?? []).map((card) => card.category))];
  const given = data?.given ?? null;
  const found = (templates ?? []).filter(
    (card) => (category === allCategories || card.category === category) && speaksOf(card, words),
  );
  const fitting = found.filter((card) => given === null || templateFit(card, given).refused === null);
  const others = found.filter((card) => !fitting.includes(card));
  const draw = (card: TemplateCard) => (
    <Template
      key={card.name}
      card={card}
      busy={busy === `template ${card.name}`}
      speed={speed}
      fit={given && templateFit(card, given)}
      onChoose={given ? setLooking : ({ name }) => onChoose(name, null)}
    />
  );
  return (
    <div className={classes.gallery}>
      <GalleryTools
        categories={categories}
        category={category}
        onCategory={setCategory}
        words={words}
        onWords={setWords}
        disabled={templates === null}
      />
      {templates === null ? (
        <div className={classes.grid} aria-busy>
          {placeholders.map((place) => (
            <Skeleton key={place} height={262} />
          ))}
        </div>
      ) : found.length === 0 ? (
        <div className={classes.list}>
          <EmptyState
            compact
            title="No template is like that"
            action={
              <Button
                size="xs"
                onClick={() => {
                  setWords('');
                  setCategory(allCategories);
                }}
              >
                Show all templates
              </Button>
            }
          >
            Search for what it learns, or for a layer: digits, text, attention, LSTM.
          </EmptyState>
        </div>
      ) : (
        categories.map((name) => (
          <Group key={name} title={name} cards={fitting.filter((card) => card.category === name)} draw={draw} />
        ))
      )}
      <Group title="Not for this data" cards={others} draw={draw} />
      {looking && data?.given && (
        <FitTemplateDialog
          card={looking}
          fit={templateFit(looking, data.given)}
          others={(templates ?? []).filter(
            (card) => templateFit(card, data.given as NonNullable<typeof given>).refused === null,
          )}
          data={data}
          busy={busy !== null}
          onClose={() => setLooking(null)}
          onCreate={() => onChoose(looking.name, data.from)}
        />
      )}
    </div>
  );
}

function Group({
  title,
  cards,
  draw,
}: {
  title: string;
  cards: TemplateCard[];
  draw: (card: TemplateCard) => React.ReactNode;
}) {
  if (cards.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className={classes.category}>{title}</h3>
      <div className={classes.grid}>{cards.map(draw)}</div>
    </section>
  );
}

function kindsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(kindsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'kind' ? [String(inner)] : kindsIn(inner)));
}

/** By what is told of it, and by what it is made of. */
function speaksOf(card: TemplateCard, words: string): boolean {
  const { title, teaches, category, name } = card;
  const text = [title, teaches, category, name, ...kindsIn(templateOf(card).project.model)].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** From the templates that were trained here. */
function useSpeed(templates: TemplateCard[] | null): number | null {
  const runs = useRuns((state) => state.list);
  return useMemo(
    () =>
      speedHere(
        runs ?? [],
        (templates ?? []).map((card) => {
          const { plan } = templateOf(card);
          const samples = plan.splits?.train ?? card.facts.parts.train;
          return {
            wanted: { project: card.name, parameters: plan.parameters, samples, device: null },
            seconds: card.epochSeconds,
          };
        }),
      ),
    [runs, templates],
  );
}
