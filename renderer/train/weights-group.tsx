/** Where the network's weights come from: fresh ones, a file, an earlier run; and what of them fits, told before the start. */
import { useId } from 'react';
import type { Plan } from '../../engine/contract/plan.ts';
import { modelFields } from '../../engine/contract/settings.ts';
import { folderOf, pickPath, relativeTo } from '../state/files.ts';
import { change, useFormAt } from '../state/form.ts';
import { useProjectState } from '../state/project.ts';
import { isLive, useRuns } from '../state/runs.ts';
import { useWeightsReport } from '../state/weights.ts';
import { ago, Choice, Notice, Section, SettingRow } from '../ui/index.ts';
import { Fields } from './fields.tsx';
import classes from './train.module.css';
import { fitSentence, reportParts } from './weights-words.ts';

const place = ['model', 'weights'];

export function WeightsGroup({ plan }: { plan: Plan }) {
  const file = useProjectState((state) => state.file);
  const browse = async () => {
    if (file === null) return null;
    const chosen = await pickPath({
      kind: 'file',
      title: 'Weights to start from',
      confirm: 'Choose file',
      filters: [{ name: 'Weights', extensions: ['safetensors', 'pt'] }],
      start: folderOf(file),
    });
    return chosen === null ? null : relativeTo(file, chosen);
  };
  return (
    <>
      <Fields place={['model']} shape={modelFields} onBrowse={browse} placeholders={{ weights: 'fresh weights' }} />
      {file !== null && <EarlierRun file={file} />}
      <Report plan={plan} />
    </>
  );
}

/** As many are offered. */
const mostOffered = 200;

function EarlierRun({ file }: { file: string }) {
  const id = useId();
  const runs = useRuns((state) => state.list);
  const { value } = useFormAt(['model']);
  const offered = (runs ?? []).filter(({ status, summary }) => !isLive(status) && (summary?.epoch ?? 0) > 0);
  if (offered.length === 0) return null;
  const options = offered.slice(0, mostOffered).map(({ name, folder, summary }) => ({
    value: relativeTo(file, folder),
    label: name,
    hint: summary ? ago(summary.updated) : undefined,
  }));
  const written = typeof value.weights === 'string' ? value.weights : null;
  return (
    <SettingRow
      id={id}
      label="An earlier run"
      help="Its best weights, else its last ones: to fine-tune what it has learned."
    >
      <Choice
        id={id}
        label="An earlier run"
        placeholder="Choose a run"
        value={options.some((option) => option.value === written) ? written : null}
        options={options}
        onChange={(next) => change(place, next)}
      />
    </SettingRow>
  );
}

function Report({ plan }: { plan: Plan }) {
  const { report, error } = useWeightsReport(plan);
  if (error) {
    return (
      <Notice tone="bad" title={error.message} alert>
        {error.hint}
      </Notice>
    );
  }
  if (!report) return null;
  const parts = reportParts(report);
  const { weights_names } = plan.project.model;
  const renamed = weights_names === null ? '' : ', by the names that the project gives its tensors';
  const source = report.run === null ? `${report.file}${renamed}` : `${report.run}, ${report.checkpoint}`;
  return (
    <div className={classes.report}>
      <Notice
        tone={parts.length === 0 ? 'ok' : report.matched.length === 0 ? 'bad' : 'warn'}
        title={fitSentence(report)}
      >
        <span className={classes.source}>{source}</span>
      </Notice>
      {parts.map(({ title, what, lines }) => (
        <Section key={title} title={`${title}: ${lines.length}`} summary={what} foldable defaultOpen={false}>
          <ul className={classes.tensors} aria-label={title}>
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Section>
      ))}
    </div>
  );
}
