/** The data of the open project: where it comes from, what it looks like, how it is split and transformed. */
import { useState } from 'react';
import { FitDialogs } from '../project-parts/fit-dialogs.tsx';
import { NoProject, useIsOpen } from '../project-parts/no-project.tsx';
import { useValueAt } from '../state/form.ts';
import { usePreview, type Wanted } from '../state/preview.ts';
import { useProjectState } from '../state/project.ts';
import { Page } from '../ui/index.ts';
import classes from './data.module.css';
import { FitNotice } from './fit-notice.tsx';
import { SamplesPanel, type Side } from './samples-panel.tsx';
import { SourcePanel } from './source-panel.tsx';
import { SplitSection } from './split-section.tsx';
import { TransformsSection } from './transforms-section.tsx';
import { BalanceSection, ValuesSection } from './values-section.tsx';

/** So many samples at once, fewer where each is large. */
const mostSamples = 48;
const leastSamples = 6;
const mostValues = 300_000;

export default function DataPage() {
  return useIsOpen() ? (
    <OpenData />
  ) : (
    <NoProject title="Data" belongs="choose what the network learns from and look at samples of it" />
  );
}

function OpenData() {
  const facts = useProjectState((state) => state.facts);
  const transforms = useValueAt(['data', 'transforms']);
  const hasTransforms = Array.isArray(transforms) && transforms.length > 0;
  const values = facts?.input.dims.reduce((product, size) => product * size, 1) ?? 1;
  const count = Math.min(mostSamples, Math.max(leastSamples, Math.floor(mostValues / values)));
  const [wanted, setWanted] = useState<Wanted>({ part: 'train', start: 0, count, class: null });
  const [side, setSide] = useState<Side>('raw');
  const [round, setRound] = useState(0);
  const asked = { ...wanted, count };
  const state = usePreview(asked, round);
  return (
    <Page
      title="Data"
      asideLabel="Split and transforms"
      aside={
        <div className={classes.aside}>
          <SplitSection />
          <TransformsSection preview={state.preview} />
          {state.preview && state.preview.samples.length > 0 && (
            <ValuesSection preview={state.preview} hasTransforms={hasTransforms} />
          )}
          {facts && <BalanceSection facts={facts} />}
        </div>
      }
    >
      <FitNotice />
      <SourcePanel onReadAgain={() => setRound(round + 1)} />
      <SamplesPanel
        facts={facts}
        state={state}
        wanted={asked}
        onWant={setWanted}
        side={side}
        onSide={setSide}
        hasTransforms={hasTransforms}
      />
      <FitDialogs />
    </Page>
  );
}
