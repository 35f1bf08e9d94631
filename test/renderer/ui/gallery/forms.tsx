/** Forms of the gallery: those of layers and optimizers, with values that are wrong among them. */
import { useState } from 'react';
import { layerKind } from '../../../../engine/contract/layers/index.ts';
import { optimizers } from '../../../../engine/contract/optimizers.ts';
import { type FormProblem, Page, Panel, SchemaForm } from '../../../../renderer/ui/index.ts';

const problems: FormProblem[] = [
  {
    path: 'model.layers.0.padding',
    message: 'padding "same" needs stride 1, but the stride is 2',
    severity: 'error',
    fixes: [
      { label: 'Set padding to 1', edits: [] },
      { label: 'Set stride to 1', edits: [] },
    ],
  },
];

function Form({ kind, start, stacked = false }: { kind: string; start: Record<string, unknown>; stacked?: boolean }) {
  const [value, setValue] = useState(start);
  const row = optimizers.get(kind) ?? layerKind(kind);
  return (
    <Panel title={row.label}>
      <SchemaForm
        shape={row.params}
        value={value}
        place="model.layers.0"
        problems={kind === 'Conv2d' ? problems : []}
        onFix={() => {}}
        stacked={stacked}
        onChange={(key, next) => {
          const { [key]: _, ...rest } = value;
          setValue(next === undefined ? rest : { ...value, [key]: next });
        }}
      />
      <code data-testid={`value-${kind}`}>{JSON.stringify(value)}</code>
    </Panel>
  );
}

export function FormsGallery() {
  return (
    <Page title="Forms">
      <div style={{ display: 'grid', gridTemplateColumns: '340px 340px 300px', gap: 16, alignItems: 'start' }}>
        <Form kind="Conv2d" start={{ out_channels: 32, kernel_size: [3, 5], padding: 'same', stride: 2 }} />
        <Form kind="Adam" start={{ lr: 0.0003, eps: 'oops' }} />
        <Form kind="BatchNorm2d" start={{ momentum: null }} stacked />
        <Form kind="MaxPool2d" start={{}} />
        <Form kind="LayerNorm" start={{ normalized_shape: [28, 28] }} />
      </div>
    </Page>
  );
}
