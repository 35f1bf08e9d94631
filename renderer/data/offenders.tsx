/** Samples, columns and classes that a finding is about: those that can be shown as pictures that lead to them. */
import { useState } from 'react';
import type { Offender } from '../../engine/contract/data/doctor.ts';
import type { PartName } from '../../engine/contract/tensors.ts';
import type { ProjectPreview } from '../../engine/contract/wire.ts';
import { usePreview, type Wanted } from '../state/preview.ts';
import { useProjectState } from '../state/project.ts';
import { integer, Skeleton } from '../ui/index.ts';
import type { SampleAt } from './address.ts';
import classes from './check.module.css';
import { drawnOf } from './gallery.tsx';
import { layoutOf } from './pixels.ts';
import { SampleView } from './sample-view.tsx';
import { maskOf } from './sample-words.ts';

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
  const shown = offenders.slice(0, all ? most : first);
  const pictures = usePictures(pictured ? shown : [], round);
  if (offenders.length === 0) return null;
  const hidden = count - shown.length;
  return (
    <div className={classes.offenders}>
      {shown.map((offender, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one sample may stand in a finding twice
        <One key={index} offender={offender} pictured={pictured} onLook={onLook} pictures={pictures} />
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
  pictures,
}: Pick<OffendersProps, 'pictured' | 'onLook'> & { offender: Offender; pictures: Pictures }) {
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
      <Picture preview={pictures[part]} index={index} name={name} />
      <span className={classes.caption}>{name}</span>
      {detail !== undefined && <span className={classes.detail}>{detail}</span>}
    </button>
  );
}

type Pictures = { readonly [Part in PartName]: ProjectPreview | null };

/** Of each part all at once: what else is looked at need not wait for one after the other. */
function usePictures(offenders: readonly Offender[], round: number): Pictures {
  return {
    train: usePreview(wantedOf(offenders, 'train'), round).preview,
    val: usePreview(wantedOf(offenders, 'val'), round).preview,
    test: usePreview(wantedOf(offenders, 'test'), round).preview,
  };
}

function wantedOf(offenders: readonly Offender[], part: PartName): Wanted | null {
  const indices = offenders.flatMap(({ part: of, index }) => (of === part && index !== undefined ? [index] : []));
  if (indices.length === 0) return null;
  const all = { part, start: 0, class: null, search: '', marked: false, epoch: null };
  return { ...all, count: indices.length, indices, thumbs: 64 };
}

function Picture({ preview, index, name }: { preview: ProjectPreview | null; index: number; name: string }) {
  const facts = useProjectState((state) => state.facts);
  const sample = preview?.samples.find((one) => one.index === index);
  if (!facts || !preview || !sample) return <Skeleton width={64} height={64} />;
  const size = preview.thumbs?.raw;
  return (
    <SampleView
      drawn={drawnOf(sample, preview, 'raw')}
      layout={layoutOf(size ? [size.channels, size.height, size.width] : facts.input.dims)}
      wanted={64}
      plot={{ width: 96, height: 48 }}
      mask={maskOf(sample, 'raw', facts.target)}
      text={sample.text}
      label={name}
    />
  );
}
