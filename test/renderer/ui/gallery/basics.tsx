/** Pages, panels, notices, bars, table, menus of the gallery. */
import { IconDatabase, IconPlayerPlay, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { runStates } from '../../../../engine/contract/events.ts';
import {
  ago,
  Button,
  bytes,
  CodeBlock,
  CodeLine,
  CostBars,
  DataTable,
  Dialog,
  duration,
  EmptyState,
  ErrorNotice,
  IconButton,
  KeyHint,
  Menu,
  Meter,
  NetworkThumb,
  Notice,
  Num,
  Page,
  Palette,
  Panel,
  ProgressBar,
  percent,
  SearchField,
  Section,
  Segmented,
  ShapeRibbon,
  Skeleton,
  StackedBar,
  StatusBadge,
  Tabs,
  TextField,
} from '../../../../renderer/ui/index.ts';

const runs = Array.from({ length: 1000 }, (_, index) => ({
  name: `digits-mlp-${String(index + 1).padStart(3, '0')}`,
  status: runStates[index % runStates.length] ?? 'queued',
  accuracy: index % 7 === 3 ? null : 0.9 + ((index * 37) % 97) / 1000,
  seconds: 4 + ((index * 131) % 9000),
  started: Date.UTC(2026, 2, 12, 9) - index * 7_200_000,
}));

const columns = [
  {
    key: 'name',
    title: 'Run',
    width: 'minmax(140px, 2fr)',
    render: (run: (typeof runs)[number]) => run.name,
    sort: (run: (typeof runs)[number]) => run.name,
  },
  {
    key: 'status',
    title: 'State',
    width: 130,
    render: (run: (typeof runs)[number]) => <StatusBadge status={run.status} />,
    sort: (run: (typeof runs)[number]) => run.status,
  },
  {
    key: 'accuracy',
    title: 'Accuracy',
    align: 'right' as const,
    width: 100,
    descendingFirst: true,
    render: (run: (typeof runs)[number]) => (run.accuracy === null ? '–' : percent(run.accuracy)),
    sort: (run: (typeof runs)[number]) => run.accuracy,
  },
  {
    key: 'seconds',
    title: 'Time',
    align: 'right' as const,
    width: 110,
    render: (run: (typeof runs)[number]) => duration(run.seconds),
    sort: (run: (typeof runs)[number]) => run.seconds,
  },
  {
    key: 'started',
    title: 'Started',
    align: 'right' as const,
    width: 110,
    render: (run: (typeof runs)[number]) => ago(run.started, Date.UTC(2026, 2, 12, 10)),
    sort: (run: (typeof runs)[number]) => run.started,
  },
];

const network = [
  { kind: 'Conv2d', output: [32, 28, 28], parameters: 320 },
  { kind: 'BatchNorm2d', output: [32, 28, 28], parameters: 64 },
  { kind: 'ReLU', output: [32, 28, 28], parameters: 0 },
  { kind: 'MaxPool2d', output: [32, 14, 14], parameters: 0 },
  { kind: 'Conv2d', output: [64, 14, 14], parameters: 18_496 },
  { kind: 'ReLU', output: [64, 14, 14], parameters: 0 },
  { kind: 'MaxPool2d', output: [64, 7, 7], parameters: 0 },
  { kind: 'Flatten', output: [3136], parameters: 0 },
  { kind: 'Linear', output: [128], parameters: 401_536 },
  { kind: 'ReLU', output: [128], parameters: 0 },
  { kind: 'Dropout', output: [128], parameters: 0 },
  { kind: 'Linear', output: [10], parameters: 1290 },
];

const mib = 2 ** 20;

export function BasicsGallery() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(['digits-mlp-002']));
  const [tab, setTab] = useState<'table' | 'empty'>('table');
  const [search, setSearch] = useState('');
  const [mode, setMode] = useState<'list' | 'compare'>('list');
  const [text, setText] = useState('my project');
  const [open, setOpen] = useState<'palette' | 'dialog' | null>(null);
  return (
    <Page
      title="Runs"
      subtitle="1,000 runs · 3 running"
      actions={
        <>
          <SearchField label="Search runs" value={search} onChange={setSearch} />
          <Segmented
            label="Mode"
            value={mode}
            options={[
              { value: 'list', label: 'List' },
              { value: 'compare', label: 'Compare' },
            ]}
            onChange={setMode}
          />
          <Menu
            label="More"
            align="end"
            trigger={<Button>More</Button>}
            items={[
              { label: 'Duplicate', keys: 'Mod+D', onClick: () => {} },
              { label: 'Open folder', hint: 'runs/digits', onClick: () => {} },
              { divider: 'Danger' },
              { label: 'Delete…', icon: IconTrash, danger: true, onClick: () => {} },
            ]}
          />
          <Button onClick={() => setOpen('palette')}>Commands</Button>
          <Button onClick={() => setOpen('dialog')}>Dialog</Button>
          <Button primary icon={IconPlayerPlay} width={112}>
            Train
          </Button>
        </>
      }
      aside={
        <div style={{ padding: 16, display: 'flex', flexDirection: 'column', gap: 16 }}>
          <Meter
            label="Memory on cuda:0"
            value={3.1 * 1024 * mib}
            max={8 * 1024 * mib}
            range={[3 * 1024 * mib, 3.5 * 1024 * mib]}
            format={bytes}
            note="estimated"
            limitLabel="of 8.0 GiB, 7.4 GiB free"
          />
          <Meter
            label="Memory at batch 1024"
            value={9.4 * 1024 * mib}
            max={8 * 1024 * mib}
            format={bytes}
            limitLabel="Does not fit"
          />
          <StackedBar
            label="Time of a step"
            parts={[
              { label: 'Data', value: 0.8, color: 'var(--series-4)' },
              { label: 'Forward', value: 3.1, color: 'var(--series-0)' },
              { label: 'Backward', value: 5.9, color: 'var(--series-2)' },
              { label: 'Optimizer', value: 1.2, color: 'var(--series-3)' },
            ]}
            format={(value) => `${value.toFixed(1)} ms`}
          />
          <ProgressBar label="Epoch 3 of 10" value={0.34} detail="1 min 12 s left" />
          <ProgressBar label="Preparing data" value={null} detail="60,000 images" />
          <Skeleton kind="text" />
          <TextField label="Name" value={text} onChange={setText} hint="What you call it" />
          <CodeLine>{'nn.Conv2d(1, 32, kernel_size=3, padding=1)'}</CodeLine>
          <CodeBlock title="model.py">
            {'class Net(nn.Module):\n    def forward(self, x):\n        return self.layers(x)'}
          </CodeBlock>
          <div>
            <KeyHint keys="Mod+K" /> <Num unit="samples/s">48,210</Num>
          </div>
          <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
            <IconButton label="Add a layer" icon={IconPlus} keys="/" />
            <IconButton label="Add" icon={IconPlus} active />
            <IconButton label="Add" icon={IconPlus} disabled />
            <Button danger>Stop</Button>
            <Button subtle>Cancel</Button>
            <Button disabled>Disabled</Button>
          </div>
        </div>
      }
    >
      <div style={{ display: 'flex', gap: 8, flexWrap: 'wrap' }}>
        {runStates.map((state) => (
          <StatusBadge key={state} status={state} />
        ))}
      </div>
      <div style={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 16, alignItems: 'start' }}>
        <ErrorNotice
          error={{
            code: 'OUT_OF_MEMORY',
            message: 'The step needs 9.4 GiB on cuda:0, which has 8.0 GiB',
            hint: 'Lower the batch size, or train in bf16.',
            path: 'training.batch_size',
          }}
          actions={<Button size="xs">Set batch size 512</Button>}
        />
        <Notice tone="warn" title="The learning rate may be too high" actions={<Button size="xs">Set 0.001</Button>}>
          The loss rose three epochs in a row.
        </Notice>
        <Notice title="Loading data takes 62 % of a step">More workers would help.</Notice>
        <Panel title="A network" hint="12 layers" actions={<IconButton label="Add" icon={IconPlus} />}>
          <NetworkThumb layers={network} input={[1, 28, 28]} />
          {network.slice(0, 5).map((layer, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a still picture
            <div key={index} style={{ display: 'flex', alignItems: 'center', gap: 16, justifyContent: 'center' }}>
              <ShapeRibbon dims={layer.output} scale={25_088} />
            </div>
          ))}
          <CostBars
            parameters={18_496}
            flops={7.2e6}
            memory={50_176}
            max={{ parameters: 401_536, flops: 7.2e6, memory: 100_352 }}
          />
        </Panel>
      </div>
      <Panel padding="none" fill>
        <div style={{ padding: '4px 12px 0' }}>
          <Tabs
            label="Views"
            value={tab}
            onChange={setTab}
            tabs={[
              { value: 'table', label: 'Runs', count: 1000 },
              { value: 'empty', label: 'Checkpoints', count: 0 },
            ]}
          />
        </div>
        {tab === 'table' ? (
          <DataTable
            label="Runs"
            columns={columns}
            rows={runs}
            rowKey={(run) => run.name}
            selected={selected}
            onSelect={setSelected}
            defaultSort={{ key: 'started', descending: true }}
            height={260}
          />
        ) : (
          <EmptyState icon={IconDatabase} title="No checkpoints yet" action={<Button primary>Train</Button>}>
            A run saves one at the end of each epoch, and the best one apart.
          </EmptyState>
        )}
      </Panel>
      <Panel>
        <Section title="Optimizer" foldable defaultOpen={false} summary="Adam, lr 0.001, cosine over 10 epochs">
          <p>Fields.</p>
        </Section>
        <Section
          title="Checkpoints and stopping"
          foldable
          summary="Every epoch, stops after 5 without gain"
          tone="warn"
        >
          <p>Fields.</p>
        </Section>
      </Panel>
      <Palette
        opened={open === 'palette'}
        onClose={() => setOpen(null)}
        items={[
          {
            id: '1',
            label: 'Train',
            hint: 'Start a run of this project',
            keys: 'Mod+Enter',
            group: 'Project',
            run: () => {},
          },
          { id: '2', label: 'Undo', keys: 'Mod+Z', group: 'Project', run: () => {} },
          {
            id: '3',
            label: 'Batch normalisation 2D',
            keywords: ['BatchNorm2d'],
            group: 'Layers',
            icon: IconPlus,
            run: () => {},
          },
          { id: '4', label: 'Convolution 2D', keywords: ['Conv2d'], group: 'Layers', icon: IconPlus, run: () => {} },
        ]}
      />
      <Dialog
        opened={open === 'dialog'}
        onClose={() => setOpen(null)}
        title="Export weights"
        actions={
          <>
            <Button onClick={() => setOpen(null)}>Cancel</Button>
            <Button primary>Export</Button>
          </>
        }
      >
        <p>Weights as safetensors, with the PyTorch module that reads them.</p>
        <TextField label="File" value={text} onChange={setText} mono />
      </Dialog>
    </Page>
  );
}
