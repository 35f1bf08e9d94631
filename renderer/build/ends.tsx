/** Both ends of the stack: the data that comes in, and what the loss wants of what goes out. */
import { IconArrowRight, IconCircleCheck, IconDatabase, IconTargetArrow } from '@tabler/icons-react';
import { memo, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { losses } from '../../engine/contract/losses.ts';
import { wantedAnswer } from '../../engine/contract/plan-answer.ts';
import { sources } from '../../engine/contract/sources.ts';
import { targetSentence } from '../../engine/contract/tensors.ts';
import { takeDigits } from '../state/preview.ts';
import { useProblems } from '../state/problems.ts';
import { usePlan, useProjectState } from '../state/project.ts';
import type { OutputRow, StackView } from '../state/stack-rows.ts';
import { factsKnown } from '../state/stack-store.ts';
import { Button, dims, integer, plural, tensorWords } from '../ui/index.ts';
import card from './card.module.css';
import { Ribbon } from './layer-card.tsx';
import { ProblemNotes } from './problems.tsx';
import styles from './stack.module.css';
import { worst } from './worst.ts';

function useFacts() {
  const plan = usePlan();
  const facts = useProjectState((state) => state.facts);
  return { plan, facts: factsKnown(plan, facts) };
}

export const InputCard = memo(function InputCard() {
  const [, navigate] = useLocation();
  const { plan, facts } = useFacts();
  const factsError = useProjectState((state) => state.factsError);
  const source = plan?.project.data.source ?? null;
  const words = () => {
    if (source === null) return 'No data is chosen, so no shape is known';
    if (!facts) return factsError?.message ?? 'Reading the data…';
    const { target, parts } = facts;
    const targets =
      target.kind === 'class' ? plural(target.classes.length, 'class', 'classes') : targetSentence(target, dims);
    return `${tensorWords(facts.input.dims, facts.input.dtype === 'int64')} · ${targets} · ${integer(parts.train)} for training`;
  };
  const dtype = facts?.input.dtype ?? 'float32';
  const shape = plan?.input;
  const input = useMemo(
    () => (shape && shape.length > 0 ? { dims: shape, dtype, padded: false } : null),
    [shape, dtype],
  );
  const missing = source === null || factsError !== null;
  return (
    <div className={styles.row}>
      <div className={styles.endCard} data-problem={missing ? 'warning' : undefined}>
        <IconDatabase size={16} stroke={1.75} aria-hidden />
        <span className={card.label}>Input</span>
        {source && <span className={card.kindQuiet}>{sources.get(source.kind)?.label ?? source.kind}</span>}
        <span className={card.summary} title={factsError?.message}>
          {words()}
        </span>
        {source === null && <DigitsButton />}
        <Button
          size="xs"
          {...(missing ? { primary: true } : { subtle: true })}
          rightIcon={IconArrowRight}
          onClick={() => navigate('/data')}
        >
          {source === null ? 'Choose data' : 'Data'}
        </Button>
      </div>
      <Ribbon tensor={input} />
    </div>
  );
});

/** For whoever has no data at hand. */
function DigitsButton() {
  const [busy, setBusy] = useState(false);
  const file = useProjectState((state) => state.file);
  if (file === null) return null;
  const take = async () => {
    setBusy(true);
    await takeDigits(file);
    setBusy(false);
  };
  return (
    <Button size="xs" title="Use the digits that come with Gradloom" loading={busy} onClick={() => void take()}>
      Use the digits
    </Button>
  );
}

export function OutputCard({ row, problems }: { row: OutputRow; problems: StackView['problems'] }) {
  const [, navigate] = useLocation();
  const { plan, facts } = useFacts();
  const ofLoss = useProblems().filter(({ path }) => path === 'training.loss' || path.startsWith('training.loss.'));
  const all = [...problems, ...ofLoss];
  const loss = plan ? losses.get(plan.project.training.loss.kind) : undefined;
  const target = facts?.target;
  const wanted = target && plan ? wantedAnswer(plan.project, target) : undefined;
  const answers = row.output;
  const fits =
    wanted !== undefined && answers !== null && answers.dims.length > 0 && String(wanted) === String(answers.dims);
  const what =
    wanted === undefined
      ? target
        ? 'does not fit the data'
        : 'what it wants is known once the data is'
      : loss?.answer === 'scores'
        ? `wants ${dims(wanted)}, one score a ${target?.kind === 'next_token' ? 'token' : 'class'}`
        : loss?.answer === 'mean_and_variance'
          ? `wants ${dims(wanted)}, means and logarithms of variances`
          : `wants ${dims(wanted)}, the target's shape`;
  return (
    <div className={styles.row} data-row>
      <div className={styles.endCard} data-problem={worst(all) ?? undefined}>
        <IconTargetArrow size={16} stroke={1.75} aria-hidden />
        <span className={card.label}>Output</span>
        <span className={card.kindQuiet}>{loss?.label ?? 'Loss'}</span>
        <span className={card.summary}>{what}</span>
        {fits && (
          <span className={styles.fits}>
            <IconCircleCheck size={14} aria-hidden /> fits
          </span>
        )}
        <Button size="xs" subtle rightIcon={IconArrowRight} onClick={() => navigate('/train')}>
          Loss
        </Button>
      </div>
      <ProblemNotes problems={all} />
    </div>
  );
}
