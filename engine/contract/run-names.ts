/** What runs are called: after their project, with a number. */

/** The name of a project's runs without the number: without what a file name may not hold on some system. */
export function runStem(project: string): string {
  const safe = project.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return safe.slice(0, 80) || 'run';
}
