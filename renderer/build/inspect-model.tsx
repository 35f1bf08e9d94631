/** The network as a whole: its size, the memory that training takes, the weights it starts from, its PyTorch code. */
import { IconCode } from '@tabler/icons-react';
import { modelFields } from '../../engine/contract/settings.ts';
import { expectedMemory, MeasuredMemory } from '../project-parts/measured-memory.tsx';
import { PeakParts } from '../project-parts/memory-parts.tsx';
import { toggleCode, useCodePanel } from '../state/code-panel.ts';
import { pickPath } from '../state/files.ts';
import { useFormAt } from '../state/form.ts';
import { useMeasuredMemory } from '../state/memory.ts';
import { usePlan } from '../state/project.ts';
import { applyFix } from '../state/stack-store.ts';
import { Button, bytes, dims, flops, integer, plural, SchemaForm, Section } from '../ui/index.ts';
import { Figures } from './figures.tsx';
import styles from './inspector.module.css';

const modelPlace = ['model'];
const fromWords = { estimated: 'estimated', corrected: 'corrected by what was measured', measured: 'measured' };

export function ModelInspector() {
  const plan = usePlan();
  const code = useCodePanel(({ open }) => open);
  const form = useFormAt(modelPlace);
  const { correction } = useMeasuredMemory();
  if (!plan) return null;
  const batch = plan.project.data.loader.batch_size;
  const memory = expectedMemory(plan.memory.total, correction);
  const browse = () =>
    pickPath({
      kind: 'file',
      title: 'Weights to start from',
      confirm: 'Use these weights',
      filters: [{ name: 'Weights', extensions: ['safetensors', 'pt'] }],
    });
  return (
    <div className={styles.body}>
      <header className={styles.head}>
        <div className={styles.titles}>
          <h2 className={styles.title}>Network</h2>
        </div>
      </header>
      <Figures
        figures={[
          {
            name: 'Shape',
            value: `${plan.input.length > 0 ? dims(plan.input) : '?'} → ${plan.output.length > 0 ? dims(plan.output) : '?'}`,
            mono: true,
          },
          { name: 'Parameters', value: integer(plan.parameters) },
          { name: 'Operations', value: flops(plan.flops), note: 'a sample' },
          {
            name: 'Memory',
            value: bytes(memory.value),
            note: `in batches of ${plural(batch, 'sample')}, ${fromWords[memory.from]}`,
          },
        ]}
      />
      {plan.memory.total > 0 && (
        <>
          <PeakParts peak={plan.memory.peak} />
          <MeasuredMemory estimated={plan.memory.total} ready={plan.model !== null} />
        </>
      )}
      <div className={styles.form} data-inspect="form">
        <SchemaForm
          shape={modelFields}
          value={form.value}
          problems={form.problems}
          place="model"
          stacked
          onChange={form.onChange}
          onFix={({ label, edits }) => applyFix(edits, label)}
          onBrowse={browse}
        />
      </div>
      {plan.layers.length > 0 && (
        <Section title="PyTorch">
          <Button icon={IconCode} onClick={toggleCode}>
            {code ? 'Hide the code' : 'Show the network as code'}
          </Button>
        </Section>
      )}
    </div>
  );
}
