/** How the selected layers are trained: frozen or not, with which learning rate and weight decay, from which initial weights. */
import { useId, useState } from 'react';
import { fieldInfo } from '../../engine/contract/fields.ts';
import type { JsonObject } from '../../engine/contract/report.ts';
import { trainFields } from '../../engine/contract/training-groups.ts';
import { usePlan, useProject } from '../state/project.ts';
import type { LayerRow } from '../state/stack-rows.ts';
import { applyFix, changeTrain, freezeLayers } from '../state/stack-store.ts';
import { commonTrain, handsDown, inheritedTrain, trainOf } from '../state/stack-train.ts';
import { SchemaForm, Section, SettingRow, SwitchField } from '../ui/index.ts';
import { InitFields } from './init-fields.tsx';
import styles from './inspector.module.css';
import { effectiveTrain, trainPlaceholders, trainSummary, weightDims } from './train-words.ts';

/** As it was left, from layer to layer. */
let unfolded = false;

/** Of those selected, the ones that have weights, or hold layers that may. */
function withWeights(rows: readonly LayerRow[]): LayerRow[] {
  return rows.filter(
    ({ layer, costs }) => handsDown(layer) || (costs?.parameters ?? 0) > 0 || Object.keys(trainOf(layer)).length > 0,
  );
}

export function TrainSection({ rows: selected }: { rows: readonly LayerRow[] }) {
  const plan = usePlan();
  const { project } = useProject();
  const [open, setOpen] = useState(unfolded);
  const rows = withWeights(selected);
  const [only] = rows;
  if (!only || !plan) return null;
  const ids = rows.map(({ key }) => key);
  const layers = rows.map(({ layer }) => layer);
  const value: JsonObject = {};
  const differing = new Set<string>();
  for (const key of Object.keys(trainFields)) {
    const common = commonTrain(layers, key);
    if (common.differs) differing.add(key);
    if (common.value !== undefined && common.value !== null) value[key] = common.value;
  }
  const init = commonTrain(layers, 'init');
  const effective = rows.map((row) => effectiveTrain(row, plan, inheritedTrain(project, row.path)));
  const problems = rows.length === 1 ? only.problems : [];
  const place = `${only.path.join('.')}.train`;
  const wrong = problems.some(({ path }) => path.startsWith(place));
  return (
    <Section
      title="Training"
      foldable
      open={open || wrong}
      onToggle={(shown) => {
        unfolded = shown;
        setOpen(shown);
      }}
      summary={trainSummary(layers, effective)}
    >
      <div className={styles.form} data-inspect="train">
        <SchemaForm
          shape={trainFields}
          value={value}
          place={place}
          problems={problems}
          placeholders={trainPlaceholders(effective, differing)}
          onChange={(key, next) => changeTrain(ids, key, next)}
          onFix={({ label, edits }) => applyFix(edits, label)}
          custom={(key) =>
            key === 'freeze' ? (
              <Freeze
                ids={ids}
                frozen={effective.filter(({ freeze }) => freeze).length}
                handed={effective.some(({ handed }) => handed)}
              />
            ) : undefined
          }
        />
        <InitFields
          value={init.value}
          differs={init.differs}
          place={`${place}.init`}
          problems={problems}
          dims={weightDims(plan.tensors, rows)}
          onChange={(next) => changeTrain(ids, 'init', next)}
          onFix={({ label, edits }) => applyFix(edits, label)}
        />
        {rows.length === 1 && handsDown(only.layer) && (
          <p className={styles.quiet}>Counts for the layers inside that say nothing themselves.</p>
        )}
        {rows.length < selected.length && (
          <p className={styles.quiet}>
            Only those with weights are changed: {rows.length} of {selected.length}.
          </p>
        )}
      </div>
    </Section>
  );
}

/** `handed`: a block around freezes it. */
function Freeze({ ids, frozen, handed }: { ids: readonly string[]; frozen: number; handed: boolean }) {
  const id = useId();
  const { freeze } = trainFields;
  const all = frozen === ids.length;
  return (
    <SettingRow id={id} label="Freeze" help={fieldInfo(freeze).help}>
      <SwitchField
        id={id}
        label="Freeze"
        checked={all}
        describe={fieldInfo(freeze).help}
        onChange={(on) => freezeLayers(ids, on)}
      />
      {(handed || (frozen > 0 && !all)) && (
        <span className={styles.quiet}>{frozen > 0 && !all ? `${frozen} of ${ids.length}` : 'by its block'}</span>
      )}
    </SettingRow>
  );
}
