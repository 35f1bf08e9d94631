/** Samples, columns and classes that a finding is about: those that can be shown as pictures that lead to them. */
import { useState } from 'react';
import type { Offender } from '../../engine/contract/data/doctor.ts';
import { type PreviewState, usePreview } from '../state/preview.ts';
import { useProjectState } from '../state/project.ts';
import { integer, Skeleton } from '../ui/index.ts';
import type { SampleAt } from './address.ts';
import classes from './check.module.css';
import { drawnOf } from './gallery.tsx';
import { layoutOf } from './pixels.ts';
import { SampleView } from './sample-view.tsx';

const first = 8;
/** A finding may name hundreds, and each picture is read. */
const most = 48;

export interface OffendersProps {
  offenders: readonly Offender[];
  count: number;
  pictured: boolean;
  onLook: (at: SampleAt) => void;
  round: number;
}

export function Offenders({ offenders, count, pictured, onLook, round }: OffendersProps) {
  const [all, setAll] = useState(false);
  if (offenders.length === 0) return null;
  const shown = offenders.slice(0, all ? most : first);
  const hidden = count - shown.length;
  return (
    <div className={classes.offenders}>
      {shown.map((offender, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one sample may stand in a finding twice
        <One key={index} offender={offender} pictured={pictured} onLook={onLook} round={round} />
      ))}
      {hidden > 0 &&
        (all || offenders.length <= first ? (
          <span className={classes.more}>{`and ${integer(hidden)} more`}</span>
        ) : (
          <button type="button" className={classes.more} onClick={() => setAll(true)}>
            {`Show ${integer(Math.min(offenders.length, most) - shown.length)} more`}
          </button>
        ))}
    </div>
  );
}

function One({
  offender,
  pictured,
  onLook,
  round,
}: Pick<OffendersProps, 'pictured' | 'onLook' | 'round'> & { offender: Offender }) {
  const { name, part, index, detail } = offender;
  const title = detail === undefined ? name : `${name}: ${detail}`;
  if (!pictured || part === undefined || index === undefined) {
    return (
      <span className={classes.name} title={title}>
        {name}
        {detail !== undefined && <span className={classes.detail}>{detail}</span>}
      </span>
    );
  }
  return (
    <button type="button" className={classes.offender} title={title} onClick={() => onLook({ part, index })}>
      <Picture part={part} index={index} name={name} round={round} />
      <span className={classes.caption}>{name}</span>
      {detail !== undefined && <span className={classes.detail}>{detail}</span>}
    </button>
  );
}

function Picture({ part, index, name, round }: { part: SampleAt['part']; index: number; name: string; round: number }) {
  const state: PreviewState = usePreview(
    { part, start: index, count: 1, class: null, search: '', marked: false, epoch: null, thumbs: 64 },
    round,
  );
  const dims = useProjectState(({ facts }) => facts?.input.dims);
  const { preview } = state;
  const sample = preview?.samples[0];
  if (!dims || !preview || !sample) return <Skeleton width={64} height={64} />;
  const size = preview.thumbs?.raw;
  return (
    <SampleView
      drawn={drawnOf(sample, preview, 'raw')}
      layout={layoutOf(size ? [size.channels, size.height, size.width] : dims)}
      wanted={64}
      plot={{ width: 96, height: 48 }}
      text={sample.text}
      label={name}
    />
  );
}
