/** What a person types to change a run while it goes on. Pure. */

interface Texts {
  lr: string;
  epochs: string;
}

/** Empty fields change nothing; `change` is null where nothing is left, or something is wrong. `present`: the epoch in progress. */
export function readChange(
  texts: Texts,
  present: number,
): { change: { lr?: number; epochs?: number } | null; problems: { [K in keyof Texts]: string | null } } {
  const given = { lr: texts.lr.trim(), epochs: texts.epochs.trim() };
  const [lr, epochs] = [Number(given.lr), Number(given.epochs)];
  const problems = {
    lr: given.lr === '' || (Number.isFinite(lr) && lr >= 0) ? null : 'A number of 0 or more',
    epochs:
      given.epochs === '' || (Number.isInteger(epochs) && epochs >= present && epochs <= 1_000_000)
        ? null
        : `A whole number, not before epoch ${present}, which is in progress`,
  };
  const wrong = problems.lr !== null || problems.epochs !== null;
  if (wrong || (given.lr === '' && given.epochs === '')) return { change: null, problems };
  return {
    change: { ...(given.lr === '' ? {} : { lr }), ...(given.epochs === '' ? {} : { epochs }) },
    problems,
  };
}
