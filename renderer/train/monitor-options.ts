/** The values of an epoch by which something can be decided, as choices. Pure. */
import { monitorChoices } from '../../engine/contract/monitor.ts';
import type { Plan } from '../../engine/contract/plan.ts';
import { nameLabel, partOf, quantity } from '../run-parts/quantities.ts';
import type { ChoiceOption } from '../ui/index.ts';

/** The one that decides by default first. */
export function monitorNames({ project }: Plan): string[] {
  return monitorChoices(project.training.metrics, project.data.split.val !== 0);
}

/** `written`: what the project says, also where its epochs do not have it. */
export function monitorOptions(plan: Plan, written: string): ChoiceOption[] {
  const names = monitorNames(plan);
  return (names.includes(written) ? names : [...names, written]).map((name) => {
    const { better } = quantity(partOf(name).key);
    return {
      value: name,
      label: nameLabel(name),
      hint: better === 'lower' ? 'less is better' : better === 'higher' ? 'more is better' : undefined,
    };
  });
}
