/** The network as a whole: its size, the memory that training takes, the weights it starts from, its PyTorch code. */
import { IconCode } from '@tabler/icons-react';
import { modelFields } from '../../engine/contract/settings.ts';
import { MemoryFit } from '../project-parts/memory-fit.tsx';
import { toggleCode, useCodePanel } from '../state/code-panel.ts';
import { pickPath } from '../state/files.ts';
import { useFormAt } from '../state/form.ts';
import { usePlan } from '../state/project.ts';
import { applyFix } from '../state/stack-store.ts';
import { Button, dims, flops, integer, SchemaForm, Section } from '../ui/index.ts';
import { Figures } from './figures.tsx';
import styles from './inspector.module.css';
import { unknownUntil } from './network-size.ts';

const modelPlace = ['model'];

export function ModelInspector() {
  const plan = usePlan();
  const code = useCodePanel(({ open }) => open);
  const form = useFormAt(modelPlace);
  if (!plan) return null;
  // A network that cannot be planned to its end has numbers that nobody knows: none is told as 0.
  const until = unknownUntil(plan);
  const unknown = until === null ? null : { value: 'unknown', note: until };
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
          { name: 'Parameters', ...(unknown ?? { value: integer(plan.parameters) }) },
          { name: 'Operations', ...(unknown ?? { value: flops(plan.flops), note: 'a sample' }) },
        ]}
      />
      <MemoryFit />
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
