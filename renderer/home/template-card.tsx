/** A template as a picture of its network, with what it learns, how large it is and what its training takes. */

import { type EpochEstimate, epochEstimate } from '../../engine/contract/epoch-times.ts';
import type { Fit } from '../../engine/contract/fit.ts';
import type { TemplateCard } from '../../engine/contract/wire.ts';
import { templateOf } from '../state/fitting.ts';
import { useRuns } from '../state/runs.ts';
import { count, duration, NetworkThumb, plural, tensorWords } from '../ui/index.ts';
import classes from './home.module.css';

/** What is only about so long has no decimals to tell. */
const roughly = (seconds: number) => duration(seconds).replace(/\.0 s$/, ' s');

export interface CardProps {
  card: TemplateCard;
  busy: boolean;
  /** How much longer than expected epochs take here; null: nothing was trained here. */
  speed: number | null;
  /** With other data than its own. */
  fit: Fit | null;
  onChoose: (card: TemplateCard) => void;
}

export function Template({ card, busy, speed, fit, onChoose }: CardProps) {
  const { name, title, teaches, facts } = card;
  const runs = useRuns((state) => state.list);
  const plan = fit && !fit.refused ? fit.plan : templateOf(card).plan;
  const { epochs } = plan.project.training;
  const samples = plan.splits?.train ?? facts.parts.train;
  const measured = epochEstimate(runs ?? [], { project: name, parameters: plan.parameters, samples, device: null });
  return (
    <article className={classes.card} data-busy={busy || undefined} data-unfit={fit?.refused ? true : undefined}>
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
          onClick={() => onChoose(card)}
        >
          {title}
        </button>
        <p className={classes.teaches}>{fit && fit.changes.length > 0 ? asItComes(teaches) : teaches}</p>
        {fit && <FitLine fit={fit} />}
        <dl className={classes.facts}>
          {!fit && <Fact name="Data">{dataWords(card)}</Fact>}
          <Fact name="Size">{count(plan.parameters)} parameters</Fact>
          {!fit && (
            <Times measured={measured} expected={card.epochSeconds * (speed ?? 1)} speed={speed} epochs={epochs} />
          )}
        </dl>
      </div>
    </article>
  );
}

/** What is told of a template's own data and weights is not true of the fitted one. */
function asItComes(teaches: string): string {
  const told = teaches.replace(/; choose your own data(?=\.$)/, '');
  return `As it comes, it ${told.charAt(0).toLowerCase()}${told.slice(1)}`;
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function dataWords({ facts: { input, target } }: TemplateCard): string {
  const indices = input.dtype === 'int64';
  const words =
    input.dims.length === 1 && !indices ? plural(input.dims[0] as number, 'number') : tensorWords(input.dims, indices);
  if (target.kind === 'class') return `${words} in ${plural(target.classes.length, 'class', 'classes')}`;
  return target.kind === 'mask' ? `${words}, ${plural(target.classes.length, 'class', 'classes')} a pixel` : words;
}

interface TimesProps {
  measured: EpochEstimate | null;
  expected: number;
  speed: number | null;
  epochs: number;
}

/** Of one epoch, and of as many as the template trains for. */
function Times({ measured, expected, speed, epochs }: TimesProps) {
  const seconds = measured?.seconds ?? expected;
  const about = measured ? duration(seconds) : `about ${roughly(seconds)}`;
  const why = measured
    ? `Measured in ${measured.run}`
    : speed === null
      ? 'Estimated for two CPU cores: nothing was trained here yet'
      : 'Estimated from how fast other templates trained here';
  return (
    <>
      <Fact name="Time">
        <span title={why}>
          {about} an epoch{measured || speed !== null ? ' here' : ''}
          {!measured && <span className={classes.guess}>estimate</span>}
        </span>
      </Fact>
      <Fact name="Epochs">
        {epochs}, about {roughly(seconds * epochs)} in all
      </Fact>
    </>
  );
}

function FitLine({ fit: { refused, changes } }: { fit: Fit }) {
  if (refused) return <p className={classes.fitLine}>{refused.message}.</p>;
  const words = changes.length === 0 ? 'as it is' : `with ${plural(changes.length, 'change')}`;
  return (
    <p className={classes.fitLine} data-fits title={changes.join('\n') || undefined}>
      Goes with this data {words}
    </p>
  );
}
