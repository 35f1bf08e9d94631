/** Charts of the gallery; `window.gallery` lets a test feed the live one. */
import { useEffect, useRef, useState } from 'react';
import {
  AreaChart,
  bytes,
  LineChart,
  type LineChartHandle,
  type LineSeries,
  Page,
  Panel,
  percent,
  Segmented,
  seriesColor,
} from '../../../../renderer/ui/index.ts';

function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** A loss that falls and rattles, with a band, gaps and a zero. */
function loss(name: string, points: number, seed: number, at = 0): LineSeries {
  const random = noise(seed);
  const x = Float64Array.from({ length: points }, (_, index) => at + index * 4);
  const mean = x.map(
    (step) => 2.3 * Math.exp(-(step - at) / 900) + 0.08 + random() * 0.12 * Math.exp(-(step - at) / 2500),
  );
  return {
    key: name,
    label: name,
    color: seriesColor(name),
    x,
    mean,
    min: mean.map((value) => value * 0.8),
    max: mean.map((value) => value * 1.25),
  };
}

/** The beginning of a line whose arrays stay the same, as those of a run that goes on. */
const whole = loss('live', 2000, 1);
function beginning(points: number): LineSeries {
  const part = (values: ArrayLike<number> | undefined) => (values as Float64Array).subarray(0, points);
  return { ...whole, x: part(whole.x), mean: part(whole.mean), min: part(whole.min), max: part(whole.max) };
}

declare global {
  interface Window {
    gallery: { update: (points: number) => void; renders: number };
  }
}

const train = loss('train', 900, 7);
const broken: LineSeries = {
  ...loss('train', 300, 3),
  mean: Array.from(loss('train', 300, 3).mean, (value, index) =>
    index > 120 && index < 140 ? Number.NaN : index % 40 === 39 ? 0 : value,
  ),
};
const validation: LineSeries = {
  key: 'val',
  label: 'validation',
  color: 'var(--series-0)',
  x: Array.from({ length: 18 }, (_, index) => (index + 1) * 200),
  mean: Array.from({ length: 18 }, (_, index) => 2 * Math.exp(-(index + 1) / 5) + 0.14 + (index % 3) * 0.012),
};
const ghost: LineSeries = {
  ...loss('before resume', 250, 9, 2600),
  ghost: true,
  color: train.color,
  label: 'before the resume',
};

export function ChartsGallery() {
  const live = useRef<LineChartHandle>(null);
  const [smoothing, setSmoothing] = useState<'0' | '0.6' | '0.9'>('0.6');
  const [logY, setLog] = useState<'linear' | 'log'>('linear');
  const [first] = useState(() => [beginning(10)]);
  useEffect(() => {
    window.gallery = { renders: 0, update: (points) => live.current?.update([beginning(points)]) };
  }, []);
  return (
    <Page
      title="Monitor"
      actions={
        <>
          <Segmented
            label="Axis"
            value={logY}
            onChange={setLog}
            options={[
              { value: 'linear', label: 'Linear' },
              { value: 'log', label: 'Log' },
            ]}
          />
          <Segmented
            label="Smoothing"
            value={smoothing}
            onChange={setSmoothing}
            options={(['0', '0.6', '0.9'] as const).map((value) => ({ value, label: value }))}
          />
        </>
      }
    >
      <Panel>
        <LineChart
          title="Loss"
          series={[train, validation, ghost]}
          smoothing={Number(smoothing)}
          logY={logY === 'log'}
          height={280}
          markers={[
            { x: 1200, label: 'Checkpoint at step 1,200', tone: 'calm' },
            { x: 2600, label: 'Resumed at step 2,600', tone: 'warn' },
          ]}
        />
      </Panel>
      <div style={{ display: 'grid', gridTemplateColumns: '1fr 1fr 1fr', gap: 16 }}>
        <Panel>
          <LineChart
            title="Accuracy"
            series={[
              { ...validation, mean: validation.mean && Array.from(validation.mean, (value) => 1 - value / 2.5) },
            ]}
            yFormat={(value) => percent(value, 1)}
            height={180}
          />
        </Panel>
        <Panel>
          <LineChart title="Broken" series={[broken]} logY height={180} />
        </Panel>
        <Panel>
          <LineChart ref={live} title="Live" series={first} height={180} smoothing={Number(smoothing)} live />
        </Panel>
        <Panel>
          <LineChart title="Nothing" series={[]} height={160} empty="The first step draws this" />
        </Panel>
        <Panel>
          <LineChart
            title="Learning rate"
            series={[
              {
                key: 'lr',
                label: 'lr',
                color: 'var(--series-2)',
                x: train.x,
                mean: Array.from(train.x, (step) => 1e-3 * (1 + Math.cos((step / 3600) * Math.PI)) * 0.5),
              },
            ]}
            height={120}
            compact
          />
        </Panel>
      </div>
      <Panel>
        <AreaChart
          title="Memory"
          x={Array.from({ length: 120 }, (_, index) => index * 30)}
          series={['weights', 'gradients', 'optimizer', 'activations'].map((key, place) => ({
            key,
            label: key,
            color: `var(--series-${place})`,
            values: Array.from({ length: 120 }, (_, index) =>
              index < 4 && place > 0 ? 0 : (place + 1) * 3e8 * (place === 3 ? 1 + 0.2 * Math.sin(index / 4) : 1),
            ),
          }))}
          yFormat={bytes}
          yTicks={[0, 1, 2, 3, 4, 5].map((gib) => gib * 2 ** 30)}
          limit={{ value: 4 * 2 ** 30, label: 'limit of cuda:0' }}
        />
      </Panel>
    </Page>
  );
}
