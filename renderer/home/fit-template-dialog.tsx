/** A template with data of one's own, before it becomes a project: what changes in it, or why it does not go. */
import type { Fit } from '../../engine/contract/fit.ts';
import type { TemplateCard } from '../../engine/contract/wire.ts';
import { FitChanges } from '../project-parts/fit-changes.tsx';
import type { ChosenData } from '../state/fitting.ts';
import { Button, Dialog } from '../ui/index.ts';

export interface FitTemplateDialogProps {
  card: TemplateCard;
  fit: Fit;
  /** Templates that go with the data. */
  others: readonly TemplateCard[];
  data: ChosenData;
  busy: boolean;
  onClose: () => void;
  onCreate: () => void;
}

export function FitTemplateDialog({ card, fit, others, data, busy, onClose, onCreate }: FitTemplateDialogProps) {
  const refused = fit.refused !== null;
  const instead =
    others.length === 0 ? undefined : `These go with it: ${others.map(({ title }) => title).join(' · ')}.`;
  return (
    <Dialog
      onClose={onClose}
      title={`${card.title} with the data of ${data.label}`}
      size={560}
      actions={
        <>
          <Button onClick={onClose}>{refused ? 'Close' : 'Cancel'}</Button>
          {!refused && (
            <Button primary loading={busy} onClick={onCreate}>
              Create project
            </Button>
          )}
        </>
      }
    >
      <FitChanges fit={fit} instead={instead} />
    </Dialog>
  );
}
