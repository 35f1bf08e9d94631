/** What a layer makes of the sample: pictures of its maps, bars of its vector, its sequence as a heat map, and the numbers of all of it. */
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { LookedLayer } from '../../engine/contract/look.ts';
import { floatsOf } from '../state/look.ts';
import {
  BarRows,
  Button,
  Dialog,
  dims,
  fitted,
  IconButton,
  integer,
  number,
  percent,
  plural,
  rangeOf,
  Segmented,
  TensorMap,
  VectorPlot,
} from '../ui/index.ts';
import { Figures } from './figures.tsx';
import styles from './look.module.css';
import { answerOf, type Classes, mapsOf, thinningWords, unitWords } from './look-values.ts';

/** More maps are shown when asked for. */
const firstMaps = 64;
const mapSize = 58;
const enlarged = { width: 560, height: 480 };
const fewValues = 24;
const heatHeight = 320;
/** Rows that are labelled want so much room. */
const rowHeight = 14;
const mostLabelled = 96;

export interface LayerViewProps {
  layer: LookedLayer;
  /** What the network answers with: the last layer of one that tells classes apart. */
  classes: Classes | null;
  /** Of each position, where the data has tokens. */
  tokens: readonly string[] | null;
}

export function LayerView({ layer, classes, tokens }: LayerViewProps) {
  const { values } = layer;
  const numbers = useMemo(() => (values ? floatsOf(values.data) : null), [values]);
  const thinned = values ? thinningWords(layer) : null;
  return (
    <>
      <Statistics layer={layer} />
      {values && numbers && numbers.length > 0 && (
        <>
          {layer.form === 'vector' ? (
            <VectorView layer={layer} values={numbers} classes={classes} />
          ) : layer.form === 'maps' ? (
            <MapsView layer={layer} values={numbers} />
          ) : (
            <HeatView layer={layer} values={numbers} tokens={layer.form === 'positions' ? tokens : null} />
          )}
          {thinned !== null && <p className={styles.quiet}>{thinned}</p>}
        </>
      )}
    </>
  );
}

function Statistics({ layer: { statistics: s, form } }: { layer: LookedLayer }) {
  const told = (value: number | null) => (value === null ? '—' : number(value));
  const wrong = [
    { count: s.nan, word: 'NaN' },
    { count: s.positive_infinity, word: '∞' },
    { count: s.negative_infinity, word: '−∞' },
  ].filter(({ count }) => count > 0);
  const units = unitWords[form];
  return (
    <div className={styles.statistics}>
      {wrong.length > 0 && (
        <p className={styles.wrong}>
          {wrong.map(({ count, word }) => `${integer(count)} × ${word}`).join(', ')} of {plural(s.elements, 'value')}
        </p>
      )}
      {s.dead > 0 && form !== 'vector' && (
        <p className={styles.dead} data-all={s.dead === s.units || undefined}>
          {s.dead === s.units
            ? `All ${plural(s.units, units.one, units.many)} are zero everywhere for this sample`
            : `${integer(s.dead)} of ${plural(s.units, units.one, units.many)} ${s.dead === 1 ? 'is' : 'are'} zero everywhere for this sample`}
        </p>
      )}
      <Figures
        figures={[
          { name: 'Range', value: `${told(s.min)} … ${told(s.max)}`, mono: true },
          { name: 'Mean', value: told(s.mean), note: `± ${told(s.std)}`, mono: true },
          {
            name: 'Zeros',
            value: percent(s.elements === 0 ? 0 : s.zeros / s.elements, 1),
            note: `${integer(s.zeros)} of ${integer(s.elements)}`,
          },
        ]}
      />
    </div>
  );
}

function MapsView({ layer, values }: { layer: LookedLayer; values: Float32Array }) {
  const [scale, setScale] = useState<'one' | 'own'>('one');
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState<number | null>(null);
  const { maps, width, height } = useMemo(() => mapsOf(layer, values), [layer, values]);
  const common = useMemo(() => rangeOf(values), [values]);
  const shown = all ? maps : maps.slice(0, firstMaps);
  const size = fitted(width, height, { width: mapSize, height: mapSize });
  const rangeFor = (map: Float32Array) => (scale === 'one' ? common : rangeOf(map));
  const current = open === null ? null : (maps[open] ?? null);
  return (
    <div className={styles.view}>
      <div className={styles.viewHead}>
        <span className={styles.quiet}>
          {plural(maps.length, 'map')} of {dims([height, width])}
        </span>
        <Segmented
          label="Scale"
          value={scale}
          options={[
            { value: 'one', label: 'One scale' },
            { value: 'own', label: 'Each its own' },
          ]}
          onChange={setScale}
        />
      </div>
      <ul
        className={styles.maps}
        aria-label="Feature maps"
        style={{ '--map': `${size.width}px` } as React.CSSProperties}
      >
        {shown.map((map, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a channel is its place
          <li key={index}>
            <button
              type="button"
              className={styles.mapButton}
              aria-label={`Channel ${index}, enlarge`}
              title={`Channel ${index}`}
              onClick={() => setOpen(index)}
            >
              <TensorMap values={map} width={width} height={height} range={rangeFor(map)} shown={size} />
            </button>
          </li>
        ))}
      </ul>
      {shown.length < maps.length && (
        <Button size="xs" onClick={() => setAll(true)}>
          Show all {integer(maps.length)}
        </Button>
      )}
      <Key range={common} own={scale === 'own'} />
      {current && open !== null && (
        <Enlarged
          title={`Channel ${open} of ${layer.name ?? layer.kind}`}
          values={current}
          width={width}
          height={height}
          range={rangeFor(current)}
          onClose={() => setOpen(null)}
          onMove={(by) => setOpen((at) => Math.max(0, Math.min(maps.length - 1, (at ?? 0) + by)))}
        />
      )}
    </div>
  );
}

interface EnlargedProps {
  title: string;
  values: Float32Array;
  width: number;
  height: number;
  range: { low: number; high: number };
  onClose: () => void;
  onMove?: (by: number) => void;
}

/** One map, large, with the value under the pointer. */
function Enlarged({ title, values, width, height, range, onClose, onMove }: EnlargedProps) {
  const [at, setAt] = useState<{ row: number; column: number } | null>(null);
  const value = at === null ? null : values[at.row * width + at.column];
  return (
    <Dialog title={title} onClose={onClose} size={640}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys go on to the next map */}
      <div
        className={styles.enlarged}
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') onMove?.(-1);
          else if (event.key === 'ArrowRight') onMove?.(1);
        }}
      >
        <TensorMap
          values={values}
          width={width}
          height={height}
          range={range}
          shown={fitted(width, height, enlarged)}
          label={title}
          onPoint={setAt}
        />
        <div className={styles.enlargedFoot}>
          <output className={styles.reading}>
            {at && value !== undefined
              ? `Row ${at.row}, column ${at.column}: ${number(value as number)}`
              : 'Point at a value to read it'}
          </output>
          {onMove && (
            <span>
              <IconButton label="Previous channel" icon={IconChevronLeft} onClick={() => onMove(-1)} />
              {/* The focus begins among what the arrow keys move. */}
              <IconButton label="Next channel" icon={IconChevronRight} data-autofocus onClick={() => onMove(1)} />
            </span>
          )}
        </div>
        <Key range={range} own={false} />
      </div>
    </Dialog>
  );
}

function Key({ range: { low, high }, own }: { range: { low: number; high: number }; own: boolean }) {
  return (
    <div className={styles.key} data-signed={low < 0 || undefined}>
      <span>{own ? 'least' : number(low, 3)}</span>
      <span className={styles.keyBar} aria-hidden />
      <span>{own ? 'greatest' : number(high, 3)}</span>
    </div>
  );
}

function VectorView({ layer, values, classes }: { layer: LookedLayer; values: Float32Array; classes: Classes | null }) {
  const [at, setAt] = useState<number | null>(null);
  if (classes) {
    const { rows, more } = answerOf(values, classes);
    return (
      <div className={styles.view}>
        <BarRows
          label="Probabilities of the classes"
          most={1}
          rows={rows.map(({ index, name, probability, logit }) => ({
            name,
            value: probability,
            told: percent(probability, 1),
            strong: index === classes.target,
            note: (
              <span className={styles.beside}>
                {index === classes.target && <span className={styles.truth}>label</span>}
                {number(logit, 3)}
              </span>
            ),
          }))}
        />
        <p className={styles.quiet}>
          {more > 0 ? `And ${plural(more, 'class', 'classes')} less likely. ` : ''}Probabilities by softmax; the layer’s
          own values are beside them.
        </p>
      </div>
    );
  }
  if (values.length <= fewValues) {
    return (
      <div className={styles.view}>
        <BarRows label="Values" rows={Array.from(values, (value, index) => ({ name: String(index), value }))} />
      </div>
    );
  }
  const value = at === null ? undefined : values[at];
  return (
    <div className={styles.view}>
      <VectorPlot
        label={`${integer(values.length)} values of ${layer.name ?? layer.kind}`}
        values={values}
        onPoint={setAt}
      />
      <output className={styles.reading}>
        {value === undefined ? 'Point at a value to read it' : `Value ${at}: ${number(value)}`}
      </output>
    </div>
  );
}

function HeatView({
  layer,
  values,
  tokens,
}: {
  layer: LookedLayer;
  values: Float32Array;
  tokens: readonly string[] | null;
}) {
  const [at, setAt] = useState<{ row: number; column: number } | null>(null);
  const [open, setOpen] = useState(false);
  const range = useMemo(() => rangeOf(values), [values]);
  const [height = 1, width = 1] = layer.values?.shape ?? layer.shape;
  const words =
    layer.form === 'positions' ? { row: 'Position', column: 'feature' } : { row: 'Channel', column: 'position' };
  const labelled = tokens !== null && tokens.length === height && height <= mostLabelled;
  const shown = labelled ? height * rowHeight : Math.max(48, Math.min(heatHeight, height * 8));
  const value = at === null ? undefined : values[at.row * width + at.column];
  const token = at === null ? undefined : tokens?.[at.row];
  return (
    <div className={styles.view}>
      <div className={styles.viewHead}>
        <span className={styles.quiet}>
          {plural(height, words.row.toLowerCase())} down, {plural(width, words.column)} across
        </span>
        <Button size="xs" onClick={() => setOpen(true)}>
          Enlarge
        </Button>
      </div>
      <div className={styles.heat}>
        {labelled && (
          <ol className={styles.tokens} aria-hidden style={{ lineHeight: `${rowHeight}px` }}>
            {tokens.map((text, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a position is its place
              <li key={index} title={`Position ${index}`}>
                {text}
              </li>
            ))}
          </ol>
        )}
        <div className={styles.heatMap}>
          <TensorMap
            values={values}
            width={width}
            height={height}
            range={range}
            shown={{ width: '100%', height: shown }}
            label={`Values of ${layer.name ?? layer.kind}, ${dims([height, width])}`}
            onPoint={setAt}
          />
        </div>
      </div>
      <output className={styles.reading}>
        {at && value !== undefined
          ? `${words.row} ${at.row}${token === undefined ? '' : ` (${token})`}, ${words.column} ${at.column}: ${number(value)}`
          : 'Point at a value to read it'}
      </output>
      <Key range={range} own={false} />
      {open && (
        <Enlarged
          title={layer.name ?? layer.kind}
          values={values}
          width={width}
          height={height}
          range={range}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
