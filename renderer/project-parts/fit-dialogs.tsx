/** The open project's network with its data: fitted, or replaced by a template's; both are looked at before they are done. */
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import type { TemplateCard } from '../../engine/contract/wire.ts';
import { applyNetwork, networkFit, openFitting, replacementFit, templateOf, useFitting } from '../state/fitting.ts';
import { useProject, useProjectState } from '../state/project.ts';
import { loadProjects, useProjects } from '../state/projects.ts';
import { Button, Dialog, EmptyState, NetworkThumb, Skeleton } from '../ui/index.ts';
import { dataWords } from './data-words.ts';
import { FitChanges } from './fit-changes.tsx';
import classes from './project-parts.module.css';

const close = () => openFitting(null);

export function FitDialogs() {
  const open = useFitting((state) => state.open);
  useEffect(() => close, []);
  if (open === 'fit') return <FitDialog />;
  return open === 'replace' ? <ReplaceDialog /> : null;
}

/** Nothing can be fitted to data that nobody knows. */
function NoData() {
  const awaited = useProjectState((state) => state.factsAwaited);
  return awaited ? (
    <Skeleton kind="rows" lines={2} />
  ) : (
    <EmptyState compact title="The data are not known">
      Choose them on the page Data: a network is fitted to their shape and to their targets.
    </EmptyState>
  );
}

function DataWords() {
  const facts = useProjectState((state) => state.facts);
  return facts && <p className={classes.quiet}>Data: {dataWords(facts)}.</p>;
}

function FitDialog() {
  const { project } = useProject();
  const facts = useProjectState((state) => state.facts);
  const fit = project && facts ? networkFit(project, facts) : null;
  const can = fit !== null && fit.refused === null && fit.edits.length > 0;
  return (
    <Dialog
      onClose={close}
      title="Fit the network to its data"
      size={560}
      actions={
        <>
          {fit?.refused && <Button onClick={() => openFitting('replace')}>Replace the network by a template…</Button>}
          <Button onClick={close}>{can ? 'Cancel' : 'Close'}</Button>
          {can && (
            <Button
              primary
              onClick={() => {
                applyNetwork(fit, 'The network was fitted to its data');
                close();
              }}
            >
              Fit network
            </Button>
          )}
        </>
      }
    >
      <div className={classes.dialog}>
        <DataWords />
        {fit ? <FitChanges fit={fit} /> : <NoData />}
      </div>
    </Dialog>
  );
}

function ReplaceDialog() {
  const { project } = useProject();
  const facts = useProjectState((state) => state.facts);
  const templates = useProjects((state) => state.templates);
  const [chosen, setChosen] = useState<TemplateCard | null>(null);
  useEffect(() => void loadProjects(), []);
  const fits = useMemo(
    () => new Map((templates ?? []).map((card) => [card, project && facts && replacementFit(project, facts, card)])),
    [templates, project, facts],
  );
  const fit = (chosen && fits.get(chosen)) ?? null;
  const can = fit !== null && fit.refused === null;
  return (
    <Dialog
      onClose={close}
      title="Replace the network by a template"
      size={640}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            primary
            disabled={!can}
            onClick={() => {
              if (!can || !chosen) return;
              applyNetwork(fit, `The network is now that of ${chosen.title}`);
              close();
            }}
          >
            Replace network
          </Button>
        </>
      }
    >
      <div className={classes.dialog}>
        <p>Layers, loss and metrics are replaced; data, batches and how it is trained stay.</p>
        <DataWords />
        {!project || !facts ? (
          <NoData />
        ) : templates === null ? (
          <Skeleton kind="rows" lines={6} />
        ) : (
          <div className={classes.choices} role="radiogroup" aria-label="Templates" onKeyDown={walk}>
            {templates.map((card, index) => (
              <Choice
                key={card.name}
                card={card}
                chosen={card === chosen}
                entry={chosen === null ? index === 0 : card === chosen}
                refused={fits.get(card)?.refused != null}
                onChoose={() => setChosen(card)}
              />
            ))}
          </div>
        )}
        {fit && <FitChanges fit={fit} />}
      </div>
    </Dialog>
  );
}

/** Arrow keys go through the choices, as in any group of them. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const choices = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=radio]')];
  const next = choices.at((choices.indexOf(document.activeElement as HTMLElement) + by) % choices.length);
  next?.focus();
  next?.click();
}

interface ChoiceProps {
  card: TemplateCard;
  chosen: boolean;
  /** Where Tab enters the group. */
  entry: boolean;
  refused: boolean;
  onChoose: () => void;
}

function Choice({ card, chosen, entry, refused, onChoose }: ChoiceProps) {
  const { plan } = templateOf(card);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture and two texts in one choice
    <button
      type="button"
      role="radio"
      aria-checked={chosen}
      tabIndex={entry ? 0 : -1}
      className={classes.choice}
      data-unfit={refused || undefined}
      onClick={onChoose}
    >
      <span aria-hidden>
        <NetworkThumb layers={plan.layers} input={plan.input} width={132} height={36} />
      </span>
      <span>{card.title}</span>
      <span className={classes.quiet}>{refused ? 'Not for this data' : card.category}</span>
    </button>
  );
}
