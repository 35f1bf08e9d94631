/** How the values of the samples shown lie, before and after the transforms. */
import { useMemo } from 'react';
import type { ProjectPreview } from '../../engine/contract/wire.ts';
import { number, plural, Section } from '../ui/index.ts';
import classes from './data.module.css';
import { histogram, spreadOf } from './statistics.ts';

const bins = 48;
const chartHeight = 44;

export function ValuesSection({ preview, hasTransforms }: { preview: ProjectPreview; hasTransforms: boolean }) {
  return (
    <Section
      title="Values"
      actions={
        <span className={classes.quiet}>{`of the ${plural(preview.samples.length, 'sample')} shown, logarithmic`}</span>
      }
    >
      <div className={classes.stack}>
        <Histogram label="Original" preview={preview} which="raw" />
        {hasTransforms && <Histogram label="Transformed" preview={preview} which="transformed" />}
      </div>
    </Section>
  );
}

function Histogram({
  label,
  preview,
  which,
}: {
  label: string;
  preview: ProjectPreview;
  which: 'raw' | 'transformed';
}) {
  const { counts, spread } = useMemo(() => {
    const samples = preview.samples.map((sample) => sample[which]);
    return { counts: histogram(samples, preview.range[which], bins), spread: spreadOf(samples) };
  }, [preview, which]);
  if (!spread) return null;
  // Most pictures are mostly background: by logarithms, the rest is seen beside it.
  const tallest = Math.log1p(Math.max(...counts));
  const [least, most] = preview.range[which];
  const words = `mean ${number(spread.mean, 3)}, deviation ${number(spread.std, 3)}`;
  return (
    <figure className={classes.histogram}>
      <figcaption>
        <span>{label}</span>
        <span className={classes.quiet}>{words}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${bins} ${chartHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: values from ${number(least, 3)} to ${number(most, 3)}, ${words}`}
      >
        {counts.map((amount, bin) => {
          const height = tallest > 0 ? (Math.log1p(amount) / tallest) * chartHeight : 0;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
              key={bin}
              x={bin + 0.08}
              width={0.84}
              y={chartHeight - height}
              height={height}
              fill={which === 'raw' ? 'var(--series-7)' : 'var(--series-0)'}
            />
          );
        })}
      </svg>
      <div className={classes.ends}>
        <span>{number(least, 3)}</span>
        <span>{number(most, 3)}</span>
      </div>
    </figure>
  );
}
