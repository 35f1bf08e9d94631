/** The memory that training takes against the device's: whether it fits, how sure that is, and what to do where it does not. */
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { type Fit, memoryRange, tightFrom } from '../state/memory-fit.ts';
import { type MemoryOutlook, useMemoryOutlook, useWaysToFit } from '../state/memory-outlook.ts';
import { edit } from '../state/project.ts';
import { Button, bytes, integer, Menu, Meter, MeterTrack, Section, Skeleton } from '../ui/index.ts';
import { FindBatchDialog } from './find-batch-dialog.tsx';
import { MeasuredMemory } from './measured-memory.tsx';
import { PeakParts } from './memory-parts.tsx';
import styles from './project-parts.module.css';

const fitWords: Record<Fit, string> = { fits: 'Fits', tight: 'Tight', 'too large': 'Does not fit' };
const fromWords = { estimated: 'Estimated', corrected: 'Corrected', measured: 'Measured' };

function Verdict({ fit }: { fit: Fit }) {
  return (
    <span className={styles.fit} data-fit={fit}>
      {fitWords[fit]}
    </span>
  );
}

/** "22.4 GiB free of 23.5 GiB on this computer". */
function limitWords({ room, device }: MemoryOutlook): string {
  if (!room) return '';
  const name = device && device.name !== 'cpu' ? `${room.name}, ${device.label}` : room.name;
  return `${bytes(room.free)} free of ${bytes(room.total)} on ${name}`;
}

/** As a section: the bar with its limit, the parts, what was measured, and ways to make it fit. */
export function MemoryFit() {
  const outlook = useMemoryOutlook();
  if (!outlook) return null;
  const { plan, asked, room, expected, fit } = outlook;
  return (
    <Section title="Memory" actions={fit && <Verdict fit={fit} />}>
      <div className={styles.stack}>
        {room ? (
          <Meter
            label={`${fromWords[expected.from]}, batches of ${integer(plan.project.data.loader.batch_size)}`}
            value={expected.value}
            max={room.free}
            range={memoryRange(expected.value)}
            warnAt={tightFrom}
            format={bytes}
            limitLabel={limitWords(outlook)}
          />
        ) : !asked ? (
          <Skeleton height={60} />
        ) : (
          <p className={styles.quiet}>
            {bytes(expected.value)} {expected.from}; what the device has is not available.
          </p>
        )}
        <Ways outlook={outlook} />
        <PeakParts peak={plan.memory.peak} />
        <MeasuredMemory estimated={plan.memory.total} ready={plan.model !== null} />
      </div>
    </Section>
  );
}

function Ways({ outlook }: { outlook: MemoryOutlook }) {
  const ways = useWaysToFit(outlook);
  const [finding, setFinding] = useState(false);
  const { plan, fit, room, device } = outlook;
  if (fit === null || fit === 'fits') return null;
  return (
    <>
      <p className={styles.lead}>
        {fit === 'tight'
          ? 'It may run out when something else takes memory. A run needs less so:'
          : 'A run needs less memory so:'}
      </p>
      <ul className={styles.ways}>
        {ways.map((way) => (
          <li key={way.label}>
            <Button size="xs" onClick={() => edit(way.edits)}>
              {way.label}
            </Button>
            <span className={styles.quiet}>
              {bytes(way.memory)}, {fitWords[way.fit].toLowerCase()}: {way.price}
            </span>
          </li>
        ))}
        <li>
          <Button size="xs" icon={IconSearch} disabled={plan.model === null} onClick={() => setFinding(true)}>
            Find batch size
          </Button>
          <span className={styles.quiet}>by trying some, each in a process of its own</span>
        </li>
      </ul>
      {finding && (
        <FindBatchDialog plan={plan} room={room} onHost={device?.name === 'cpu'} onClose={() => setFinding(false)} />
      )}
    </>
  );
}

/** The same in one line; `onMore`: to the section. `unknown`: until when it cannot be told. */
export function MemoryLine({ unknown, onMore }: { unknown: string | null; onMore: () => void }) {
  const outlook = useMemoryOutlook();
  const ways = useWaysToFit(outlook);
  if (!outlook) return <p className={`${styles.line} ${styles.quiet}`}>{unknown && `Memory unknown ${unknown}`}</p>;
  const { asked, room, expected, fit } = outlook;
  return (
    <div className={styles.line}>
      {(room || !asked) && (
        <span className={styles.lineBar}>
          <MeterTrack
            label="Memory in training"
            value={room ? expected.value : 0}
            max={room?.free ?? 1}
            range={room ? memoryRange(expected.value) : undefined}
            warnAt={tightFrom}
            format={bytes}
          />
        </span>
      )}
      {/* Its place is kept while devices are asked for. */}
      {fit ? <Verdict fit={fit} /> : !asked && <span className={styles.fit} data-awaited />}
      <button type="button" className={styles.lineText} title={limitWords(outlook)} onClick={onMore}>
        {bytes(expected.value)} memory
        {room && <span data-fit={fit}> of {bytes(room.free)} free</span>}
        <span className={styles.lineFrom}>, {expected.from}</span>
      </button>
      {fit !== null && fit !== 'fits' && (
        <span className={styles.lineAction}>
          <Menu
            label="Ways to need less memory"
            align="end"
            width={340}
            trigger={<Button size="xs">Make it fit</Button>}
            items={[
              ...ways.map((way) => ({
                label: way.label,
                hint: `${bytes(way.memory)}, ${fitWords[way.fit].toLowerCase()}`,
                onClick: () => void edit(way.edits),
              })),
              { divider: '' },
              { label: 'Show what takes it', onClick: onMore },
            ]}
          />
        </span>
      )}
    </div>
  );
}
