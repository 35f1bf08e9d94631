/** The templates as pictures of their networks, with what they learn and what that takes. */
import { useMemo } from 'react';
import { planProject } from '../../engine/contract/plan.ts';
import { readProject } from '../../engine/contract/project.ts';
import type { TemplateCard } from '../../engine/contract/wire.ts';
import { epochEstimate } from '../state/estimates.ts';
import { useProjects } from '../state/projects.ts';
import { useRuns } from '../state/runs.ts';
import { count, dims, duration, NetworkThumb, plural, Skeleton } from '../ui/index.ts';
import classes from './home.module.css';

export function TemplateGrid({ busy, onChoose }: { busy: string | null; onChoose: (name: string) => void }) {
  const templates = useProjects((state) => state.templates);
  const failed = useProjects((state) => state.error !== null);
  if (templates === null) {
    if (failed) return null;
    return (
      <div className={classes.grid} aria-busy>
        <Skeleton height={252} />
        <Skeleton height={252} />
      </div>
    );
  }
  return (
    <div className={classes.grid}>
      {templates.map((card) => (
        <Template key={card.name} card={card} busy={busy === `template ${card.name}`} onChoose={onChoose} />
      ))}
    </div>
  );
}

function Template({ card, busy, onChoose }: { card: TemplateCard; busy: boolean; onChoose: (name: string) => void }) {
  const { name, title, teaches, text, facts } = card;
  const runs = useRuns((state) => state.list);
  const plan = useMemo(() => planProject(readProject(text).project ?? {}, facts), [text, facts]);
  const { epochs } = plan.project.training;
  const samples = plan.splits?.train ?? facts.parts.train;
  const estimate = epochEstimate(runs ?? [], { project: name, parameters: plan.parameters, samples, device: null });
  const { target } = facts;
  return (
    <article className={classes.card} data-busy={busy || undefined}>
      <div className={classes.picture}>
        <NetworkThumb layers={plan.layers} input={plan.input} height={104} />
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
            {plural(facts.parts.train, 'sample')} of {dims(facts.input.dims)}
            {target.kind === 'class' && ` in ${plural(target.classes.length, 'class', 'classes')}`}
          </span>
        </p>
        <p className={classes.facts}>
          {estimate
            ? `About ${duration(estimate.seconds * epochs)} for ${plural(epochs, 'epoch')} here, from ${estimate.run}`
            : `${plural(epochs, 'epoch')}, not trained here yet`}
        </p>
      </div>
    </article>
  );
}
