/** A grid for a kind that has none of its own: from what its row says of its parameters, and from its examples. */
import { fieldInfo } from '../../../engine/contract/fields.ts';
import type { LayerKind } from '../../../engine/contract/layers/kind.ts';
import type { Grid, GridInput } from './grid.ts';
import { anyRank } from './inputs.ts';

/** The usual value first: the default, by leaving the key out, or what the first example says. */
function valuesOf(name: string, schema: object, examples: LayerKind['examples']): unknown[] {
  const info = fieldInfo(schema);
  const shown = examples.map(({ params }) => params[name]).filter((value) => value !== undefined);
  const usual = 'default' in info ? [undefined, info.default, ...shown] : shown;
  const { min, max, choices } = info;
  switch (info.control) {
    case 'switch':
      return [...usual, true, false];
    case 'choice':
      return [...usual, ...(choices ?? []), 'unheard-of'];
    case 'integer':
    case 'pair':
      return [...usual, 1, 2, 3, ...(min === undefined ? [0, -1] : [min, min - 1])];
    case 'number':
      return [...usual, 0, 0.3, 1, 2, -0.5, ...(max === undefined ? [] : [max, max + 0.5])];
    default:
      return usual;
  }
}

export function derivedGrid({ params, examples, takes }: LayerKind): Grid {
  const values = Object.entries(params).map(([name, schema]) => [name, valuesOf(name, schema, examples)]);
  const own: GridInput[] = examples.map(({ input }) => (takes === 'integers' ? { dims: input, tokens: 4 } : input));
  return { params: Object.fromEntries(values), inputs: [...own, ...anyRank] };
}
