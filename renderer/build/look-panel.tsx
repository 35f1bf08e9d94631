/** Look inside: what the network makes of one sample, at the layer that is selected in the stack. */
import { IconArrowRight, IconEyeSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { Look, LookedLayer } from '../../engine/contract/look.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { floatsOf, type LookAt, pathsAt, useLookInside, weightsUnchosen } from '../state/look.ts';
import { usePlan, useProjectState } from '../state/project.ts';
import { useRuns } from '../state/runs.ts';
import type { LayerRow } from '../state/stack-rows.ts';
import { factsKnown, useStack, useStackState } from '../state/stack-store.ts';
import { Button, Choice, dims, EmptyState, ErrorNotice, Notice, plural, Skeleton } from '../ui/index.ts';
import inspector from './inspector.module.css';
import styles from './look.module.css';
import { LayerView } from './look-layer.tsx';
import { SampleBar } from './look-sample.tsx';
import type { Classes } from './look-values.ts';
import { labelOf, nameOf } from './words.ts';

const none: never[] = [];

interface LookPanelProps {
  at: LookAt;
  onLook: (change: Partial<LookAt>) => void;
}

export function LookPanel({ at, onLook }: LookPanelProps) {
  const plan = usePlan();
  const { rows } = useStack();
  const active = useStackState((state) => state.active);
  const row = rows.find((each): each is LayerRow => each.type === 'layer' && each.key === active);
  return <div className={inspector.body}>{plan && <Inside at={at} onLook={onLook} plan={plan} row={row} />}</div>;
}

function Inside({ at: asked, onLook, plan, row }: LookPanelProps & { plan: Plan; row: LayerRow | undefined }) {
  const [, navigate] = useLocation();
  const runs = useRuns(({ list }) => list) ?? none;
  const weights = useMemo(() => asked.weights ?? weightsUnchosen(runs, plan), [asked, runs, plan]);
  const at = useMemo(() => ({ ...asked, weights }), [asked, weights]);
  const last = plan.layers.at(-1)?.path;
  const paths = useMemo(
    () => (row ? pathsAt(plan, row.path.join('.')) : last === undefined ? [] : [last]),
    [plan, row, last],
  );
  // Of a layer that stands several times in the network; the first of another one.
  const [turn, setTurn] = useState({ of: row?.key, at: 0 });
  const chosen = turn.of === row?.key ? Math.min(turn.at, paths.length - 1) : 0;
  const path = paths[chosen] ?? null;
  const wanted = useMemo(() => (path === null ? ['input'] : ['input', path]), [path]);
  const { look, error, reading } = useLookInside(at, wanted);
  const own = look?.layers.find((each) => each.path === path);
  // While the next is on its way the one before it stays, so that nothing jumps.
  const layer = own ?? (reading && path !== null ? look?.layers.find((each) => each.path !== 'input') : undefined);
  if (error?.code === 'DATA_MISSING') {
    return (
      <EmptyState
        icon={IconEyeSearch}
        title="No data yet"
        action={
          <Button primary rightIcon={IconArrowRight} onClick={() => navigate('/data')}>
            Choose data
          </Button>
        }
      >
        A look inside shows what every layer makes of one sample of the data.
      </EmptyState>
    );
  }
  return (
    <>
      <SampleBar at={at} plan={plan} look={look} onLook={onLook} />
      {error && (
        <ErrorNotice
          error={error}
          actions={
            error.code === 'BAD_CALL' && at.index > 0 ? (
              <Button size="xs" onClick={() => onLook({ index: 0 })}>
                First sample
              </Button>
            ) : at.weights === 'init' ? undefined : (
              <Button size="xs" onClick={() => onLook({ weights: 'init' })}>
                Use random weights
              </Button>
            )
          }
        />
      )}
      {look && look.weights.missing.length > 0 && (
        <Notice
          tone="warn"
          title={`Not all weights fit: ${plural(look.weights.missing.length, 'tensor is', 'tensors are')} random`}
        >
          <details>
            <summary>Which</summary>
            {look.weights.message}.
          </details>
        </Notice>
      )}
      {!error && (
        <>
          <LayerHead row={row} layer={own} path={path} />
          {row && paths.length > 1 && (
            <Choice
              label="Which of them"
              value={String(chosen)}
              options={paths.map((each, index) => ({
                value: String(index),
                label: `${index + 1} of ${paths.length}: ${each}`,
              }))}
              onChange={(next) => setTurn({ of: row.key, at: Number(next) })}
            />
          )}
          {layer?.values ? (
            <div className={styles.layer} aria-busy={reading} data-stale={own === undefined || undefined}>
              <LayerView layer={layer} classes={classesOf(plan, layer, look)} tokens={tokensOf(plan, look)} />
            </div>
          ) : reading && (path !== null || !look) ? (
            <Skeleton height={180} />
          ) : (
            <NotThere row={row} look={look} />
          )}
        </>
      )}
    </>
  );
}

function LayerHead({
  row,
  layer,
  path,
}: {
  row: LayerRow | undefined;
  layer: LookedLayer | undefined;
  path: string | null;
}) {
  return (
    <header className={styles.layerHead}>
      <h2 className={inspector.title}>
        {row ? nameOf(row.layer) || labelOf(row.kind) : path === null ? 'The network' : 'The network’s answer'}
      </h2>
      {layer && <span className={styles.shape}>{dims(layer.shape)}</span>}
    </header>
  );
}

/** Why nothing is seen of the layer. */
function NotThere({ row, look }: { row: LayerRow | undefined; look: Look | null }) {
  if (row?.disabled || row?.dimmed) {
    return (
      <EmptyState compact title="This layer is disabled">
        The network goes on as if it were not there. Enable it to see what it makes.
      </EmptyState>
    );
  }
  const stopped = look?.stopped;
  return (
    <EmptyState compact title="The network does not reach this layer">
      {stopped ? `${stopped.message}. ${stopped.hint}` : 'No layer of the network uses it.'}
    </EmptyState>
  );
}

/** Where the layer is the last of a network that tells classes apart by the cross entropy. */
function classesOf(plan: Plan, layer: LookedLayer, look: Look | null): Classes | null {
  const facts = factsKnown(plan, useProjectState.getState().facts);
  const last = plan.layers.at(-1);
  if (facts?.target.kind !== 'class' || plan.loss.kind !== 'CrossEntropyLoss') return null;
  const ends = layer.path === last?.path && plan.output.length > 0;
  const { classes } = facts.target;
  return ends && layer.form === 'vector' && layer.shape[0] === classes.length
    ? { names: classes, target: look?.sample.target ?? null }
    : null;
}

/** The sample's tokens; a vocabulary is not known, so they are told by their numbers. */
function tokensOf(plan: Plan, look: Look | null): string[] | null {
  const facts = factsKnown(plan, useProjectState.getState().facts);
  const input = look?.layers.find(({ path }) => path === 'input');
  if (facts?.input.dtype !== 'int64' || !input?.values) return null;
  return Array.from(floatsOf(input.values.data), String);
}
