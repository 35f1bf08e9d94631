/** A layer in numbers: what it makes of its input, what it costs, and where each number comes from. */
import { useMemo, useState } from 'react';
import { copiesAt, explainLayer, type LayerFormulas } from '../../engine/contract/plan-explain.ts';
import type { Plan, PlannedLayer } from '../../engine/contract/plan-types.ts';
import { MemoryParts } from '../project-parts/memory-parts.tsx';
import { usePlan } from '../state/project.ts';
import type { LayerRow } from '../state/stack-rows.ts';
import { bytes, flops, integer, Num, percent, plural, Section } from '../ui/index.ts';
import { type Figure, Figures } from './figures.tsx';
import { typeset } from './formulas.ts';
import styles from './inspector.module.css';
import { shapeWords } from './shape-words.ts';

function plannedAt(layers: readonly PlannedLayer[], path: string): PlannedLayer | null {
  for (const layer of layers) {
    if (layer.path === path) return layer;
    if (!path.startsWith(`${layer.path}.`)) continue;
    for (const { layers: inside } of layer.children ?? []) {
      const found = plannedAt(inside, path);
      if (found) return found;
    }
  }
  return null;
}

function useFormulas(plan: Plan | null, number: string | null): LayerFormulas | null {
  return useMemo(() => {
    const layers = [...(plan?.layers ?? []), ...(plan?.inside ?? [])];
    const layer = number === null ? null : plannedAt(layers, number);
    return plan && layer ? explainLayer(layer, plan.tensors, copiesAt(layers, layer.place)) : null;
  }, [plan, number]);
}

export function LayerNumbers({ row, formula }: { row: LayerRow; formula: string | null }) {
  const plan = usePlan();
  const formulas = useFormulas(plan, row.number);
  const shape = formulas?.shape ?? (formula === null ? [] : [formula]);
  return (
    <>
      <Section title="Shape">
        <p className={styles.shapes}>
          <Num mono>{shapeWords(row.input)}</Num>
          <span>→</span>
          <Num mono>{shapeWords(row.output)}</Num>
        </p>
        {/* Of a layer that changes nothing there is nothing to tell. */}
        {(row.output === null || String(row.input?.dims) !== String(row.output.dims)) && <Lines lines={shape} />}
      </Section>
      <LayerCosts row={row} plan={plan} formulas={formulas} />
    </>
  );
}

function shareWords(share: number): string {
  return share < 0.0005 ? 'less than 0.1 %' : percent(share, share < 0.1 ? 1 : 0);
}

/** More would be a wall: they are shown when asked for. */
const fewLines = 4;

/** How a number was found, line by line. */
function Lines({ lines }: { lines: readonly string[] }) {
  const [all, setAll] = useState(false);
  if (lines.length === 0) return null;
  const many = lines.length > fewLines;
  return (
    <div className={styles.lines}>
      {(!many || all) && (
        <ul>
          {lines.map((line) => (
            <li key={line}>{typeset(line)}</li>
          ))}
        </ul>
      )}
      {many && (
        <button type="button" aria-expanded={all} className={styles.show} onClick={() => setAll(!all)}>
          {all ? 'Hide how it is counted' : 'Show how it is counted'}
        </button>
      )}
    </div>
  );
}

function LayerCosts({ row, plan, formulas }: { row: LayerRow; plan: Plan | null; formulas: LayerFormulas | null }) {
  const { costs } = row;
  if (!costs || !plan) return null;
  const { workspace, ...lasting } = costs.parts;
  const batch = plan.project.data.loader.batch_size;
  const { parameters } = plan;
  const share = parameters > 0 && costs.parameters > 0 ? costs.parameters / parameters : null;
  const figures: Figure[] = [
    {
      name: 'Parameters',
      value: integer(costs.parameters),
      ...(share === null ? {} : { note: `${shareWords(share)} of the network` }),
      below: <Lines lines={costs.parameters > 0 ? (formulas?.parameters ?? []) : []} />,
    },
    {
      name: 'Operations',
      value: flops(costs.flops),
      note: 'a sample',
      below: <Lines lines={costs.flops > 0 && formulas ? [formulas.flops] : []} />,
    },
    {
      name: 'Memory',
      value: bytes(costs.memory),
      note: `in batches of ${plural(batch, 'sample')}`,
      below: <Lines lines={workspace > 0 ? [`and ${bytes(workspace)} while it is at work`] : []} />,
    },
  ];
  return (
    <Section title="Costs">
      <Figures figures={figures} />
      {costs.memory > 0 && (
        <>
          <MemoryParts parts={lasting} />
          <p className={styles.quiet}>
            Estimated parts, each in full. They are not all held at once: the network’s memory is that of its fullest
            moment.
          </p>
        </>
      )}
    </Section>
  );
}
