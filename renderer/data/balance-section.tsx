/** How many samples each class has to learn from, and how many of them validate and test. */
import type { DataFacts } from '../../engine/contract/tensors.ts';
import { useChecked } from '../state/data-check.ts';
import { usePlan } from '../state/project.ts';
import { integer, percent, plural, Section } from '../ui/index.ts';
import { type ClassShare, classShares } from './class-shares.ts';
import classes from './data.module.css';

const parts = [
  { key: 'train', label: 'Training', color: 'var(--series-0)' },
  { key: 'val', label: 'validation', color: 'var(--series-1)' },
  { key: 'test', label: 'test', color: 'var(--series-7)' },
] as const;

export function BalanceSection({ facts }: { facts: DataFacts }) {
  const plan = usePlan();
  const { report, outdated } = useChecked();
  const shares = classShares(
    facts,
    plan?.project.data.split ?? null,
    outdated === null ? (report?.splits ?? null) : null,
  );
  if (shares === null) return null;
  const sum = ({ train, val, test }: ClassShare) => train + (val ?? 0) + (test ?? 0);
  const total = shares.reduce((all, share) => all + share.train, 0);
  const largest = Math.max(...shares.map(sum), 1);
  const empty = shares.filter(({ train }) => train === 0).length;
  const shown = parts.filter(({ key }) => shares.some((share) => share[key] !== null));
  return (
    <Section
      title="Classes"
      actions={<span className={classes.quiet}>{shown.map(({ label }) => label).join(', ')}</span>}
    >
      {empty > 0 && (
        <p className={classes.warn}>{`${plural(empty, 'class has', 'classes have')} no samples to learn from.`}</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard */}
      <ul className={classes.balance} aria-label="Class balance" tabIndex={0}>
        {shares.map((share, index) => {
          const told = shown.map(({ key, label }) => `${label.toLowerCase()} ${integer(share[key] ?? 0)}`).join(', ');
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a class is its index
            <li key={index} title={`${share.name}: ${told}`}>
              <span className={classes.className}>{share.name}</span>
              <span className={classes.track}>
                {shown.map(({ key, color }) => (
                  <span key={key} style={{ width: `${((share[key] ?? 0) / largest) * 100}%`, background: color }} />
                ))}
              </span>
              <span className={classes.count}>{integer(share.train)}</span>
              <span className={classes.share}>{percent(total > 0 ? share.train / total : 0, 1)}</span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
