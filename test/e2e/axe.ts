/** What axe finds in a page: serious and critical faults, as lines that say where. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: {
    id: string;
    impact: string | null;
    help: string;
    nodes: { target: unknown[]; failureSummary?: string }[];
  }[];
}

/** The faults; `[]` where there are none. */
export async function axeFaults(page: Page): Promise<string[]> {
  // By the debugger, which the page's policy does not bind.
  await page.evaluate(source);
  const results = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((results) => ({ violations: results.violations }))",
  )) as AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, impact, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${impact} ${id}: ${help} at ${target.join(' ')} (${failureSummary ?? ''})`,
      ),
    );
}
