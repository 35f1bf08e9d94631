/** The templates as pictures of their networks, with what they learn and what that takes. */
import { type Plan, planProject } from '../../engine/contract/plan.ts';
import { readProject } from '../../engine/contract/project.ts';
import type { TemplateCard } from '../../engine/contract/wire.ts';
import { epochEstimate } from '../state/estimates.ts';
import { useProjects } from '../state/projects.ts';
import { useRuns } from '../state/runs.ts';
import { count, duration, NetworkThumb, plural, Skeleton, tensorWords } from '../ui/index.ts';
import classes from './home.module.css';

export function TemplateGrid({ busy, onChoose }: { busy: string | null; onChoose: (name: string) => void }) {
  const templates = useProjects((state) => state.templates);
  const failed = useProjects((state) => state.error !== null);
  if (templates === null) {
    if (failed) return null;
    return (
      <div className={classes.grid} aria-busy>
        {['a', 'b', 'c', 'd'].map((place) => (
          <Skeleton key={place} height={218} />
        ))}
      </div>
    );
  }
  const categories = [...new Set(templates.map(({ category }) => category))];
  return (
    <div className={classes.gallery}>
      {categories.map((category) => (
        <section key={category} aria-label={category}>
          <h3 className={classes.category}>{category}</h3>
          <div className={classes.grid}>
            {templates
              .filter((card) => card.category === category)
              .map((card) => (
                <Template key={card.name} card={card} busy={busy === `template ${card.name}`} onChoose={onChoose} />
              ))}
          </div>
        </section>
      ))}
    </div>
  );
}

/** Templates stay what they are for as long as the window lives. */
const plans = new WeakMap<TemplateCard, Plan>();

function planOf(card: TemplateCard): Plan {
  const plan = plans.get(card) ?? planProject(readProject(card.text).project ?? {}, card.facts);
  plans.set(card, plan);
  return plan;
}

/** What is only about so long has no decimals to tell. */
const roughly = (seconds: number) => duration(seconds).replace(/\.0 s$/, ' s');

function Template({ card, busy, onChoose }: { card: TemplateCard; busy: boolean; onChoose: (name: string) => void }) {
  const { name, title, teaches, facts, epochSeconds } = card;
  const runs = useRuns((state) => state.list);
  const plan = planOf(card);
  const { epochs } = plan.project.training;
  const samples = plan.splits?.train ?? facts.parts.train;
  const estimate = epochEstimate(runs ?? [], { project: name, parameters: plan.parameters, samples, device: null });
  const { target, input } = facts;
  const indices = input.dtype === 'int64';
  const words =
    input.dims.length === 1 && !indices ? plural(input.dims[0] as number, 'number') : tensorWords(input.dims, indices);
  return (
    <article className={classes.card} data-busy={busy || undefined}>
      <div className={classes.picture}>
        <NetworkThumb layers={plan.layers} input={plan.input} height={76} />
      </div>
      <div className={classes.cardText}>
        {/* Takes the whole card. */}
        <button
          type="button"
          className={classes.cardTitle}
          aria-busy={busy || undefined}
          aria-label={`New project from ${title}`}
          onClick={() => onChoose(name)}
        >
          {title}
        </button>
        <p className={classes.teaches}>{teaches}</p>
        <p className={classes.facts}>
          <span>{count(plan.parameters)} parameters</span>
          <span>
            {words}
            {target.kind === 'class' && ` in ${plural(target.classes.length, 'class', 'classes')}`}
          </span>
        </p>
        <p className={classes.facts}>
          {estimate ? (
            <span>
              {duration(estimate.seconds)} an epoch here, {plural(epochs, 'epoch')}, from {estimate.run}
            </span>
          ) : (
            <span title="On two CPU cores; not trained here yet">
              about {roughly(epochSeconds)} an epoch, {plural(epochs, 'epoch')}
            </span>
          )}
        </p>
      </div>
    </article>
  );
}
