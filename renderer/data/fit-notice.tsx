/** Says when the network does not go with the data that were chosen, and fits it. */
import { inputWords } from '../project-parts/data-words.ts';
import { networkFit, openFitting } from '../state/fitting.ts';
import { usePlan, useProject, useProjectState } from '../state/project.ts';
import { layersAt, mainList } from '../state/stack-paths.ts';
import { Button, Notice } from '../ui/index.ts';

/** Problems that come of network and data, not of one of them. */
const between = new Set([
  'OUTPUT_MISMATCH',
  'SPARE_SCORES',
  'TARGET_MISMATCH',
  'WRONG_RANK',
  'WRONG_DTYPE',
  'EMPTY_OUTPUT',
  'JOIN_MISMATCH',
]);

export function FitNotice() {
  const { project } = useProject();
  const facts = useProjectState((state) => state.facts);
  const plan = usePlan();
  // The plan holds none where the first one cannot read the data.
  if (!project || !facts || !plan || layersAt(project, mainList).length === 0) return null;
  const problem = plan.problems.find(({ code }) => between.has(code));
  if (!problem) return null;
  const fit = networkFit(project, facts);
  if (fit.edits.length === 0 && !fit.refused) return null;
  return (
    <Notice
      tone="warn"
      title="The network does not fit these data"
      actions={
        fit.refused ? (
          <Button size="xs" onClick={() => openFitting('replace')}>
            Replace the network by a template…
          </Button>
        ) : (
          <Button size="xs" onClick={() => openFitting('fit')}>
            Fit network…
          </Button>
        )
      }
    >
      {`A sample is ${inputWords(facts)}. ${fit.refused?.message ?? problem.message}.`}
    </Notice>
  );
}
