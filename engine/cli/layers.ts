/** `layers`: the kinds of layers there are, and all about one of them. */
import { commandLine } from '../command-line.ts';
import { GradloomError } from '../contract/errors.ts';
import { fieldInfo } from '../contract/fields.ts';
import { layerKinds, layerTable } from '../contract/layers/index.ts';
import { type LayerExample, type LayerKind, showDims } from '../contract/layers/kind.ts';
import { planProject } from '../contract/plan.ts';
import { explainLayer } from '../contract/plan-explain.ts';
import { nearest } from '../contract/report.ts';
import type { DataFacts } from '../contract/tensors.ts';
import { capital, table } from '../format.ts';
import type { AddCommand } from './context.ts';
import type { Output } from './output.ts';

export const addLayers: AddCommand = (program, { out }) => {
  program
    .command('layers')
    .argument('[kind]', 'kind of layer, or a word to look for')
    .summary('list the kinds of layers, or show one')
    .description(
      'Lists the kinds of layers that a project can name, those that a word is found in, or shows one kind: parameters, formulas, examples.',
    )
    .action((asked?: string) => {
      const kind = asked && (layerTable.get(asked) ?? layerKinds.find((row) => same(row.kind, asked)));
      const shown = kind ? [kind] : asked ? layerKinds.filter((row) => speaksOf(row, asked)) : layerKinds;
      if (shown.length === 0) throw unknown(asked as string);
      for (const row of shown) out.object(describe(row));
      if (kind) showKind(out, kind);
      else showTable(out, shown);
    });
};

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function speaksOf({ kind, label, help, category }: LayerKind, word: string): boolean {
  return [kind, label, help, category].some((text) => text.toLowerCase().includes(word.toLowerCase()));
}

function unknown(asked: string): GradloomError {
  const near = nearest(asked, [...layerTable.keys()], 3);
  return new GradloomError('BAD_CALL', `There is no layer of kind ${asked}.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `All kinds: ${commandLine('layers')}`,
  });
}

/** Everything that a row says, as one JSON object. */
function describe(row: LayerKind) {
  const { kind, label, category, help, takes = 'floats', mask = null, formula, flopsFormula, definition } = row;
  return {
    type: 'layer',
    kind,
    label,
    category,
    help,
    takes,
    mask,
    formula,
    flops_formula: flopsFormula,
    parameters: parametersOf(row).map(({ name, info }) => ({ name, ...info })),
    derived: row.derived,
    arguments: row.argNames,
    examples: row.examples.map((example) => ({ ...example, ...planned(row, example) })),
    ...(definition === undefined ? {} : { definition }),
  };
}

function parametersOf({ params }: LayerKind) {
  return Object.entries(params).map(([name, schema]) => ({ name, info: fieldInfo(schema) }));
}

/** The layer of an example, and what its numbers come from. */
function planned({ kind, takes }: LayerKind, { params, input }: LayerExample) {
  const facts: DataFacts = {
    input: { dims: input, dtype: takes === 'integers' ? 'int64' : 'float32' },
    target: { kind: 'vector', dims: [1] },
    parts: { train: 1 },
  };
  const { layers, tensors } = planProject({ model: { layers: [{ kind, ...params }] } }, facts);
  const [layer] = layers;
  return layer && { python: layer.python, formulas: explainLayer(layer, tensors) };
}

function showTable(out: Output, rows: readonly LayerKind[]): void {
  for (const category of new Set(rows.map((row) => row.category))) {
    const of = rows.filter((row) => row.category === category);
    const lines = of.map(({ kind, label, formula }) => [`  ${kind}`, label, formula]);
    out.say(out.style('bold', capital(category)));
    out.say(table(lines));
    out.say();
  }
  out.say(`More of one: ${commandLine('layers', 'KIND')}`);
}

const takesWords = {
  floats: 'floating-point numbers',
  integers: 'integers: indices of its table',
  any: 'any numbers',
} as const;

const maskWords = {
  keeps: 'handed on',
  ends: 'left out of account; behind it there is none',
} as const;

function showKind(out: Output, row: LayerKind): void {
  const { kind, label, help, takes = 'floats', mask, formula, flopsFormula, derived, definition } = row;
  out.say(`${out.style('bold', kind)}: ${label}`);
  out.say(help);
  out.say();
  out.say(
    table([
      ['Shape', formula],
      ['FLOPs', flopsFormula],
      ['Takes', takesWords[takes]],
      ['Padding', mask ? maskWords[mask] : 'not where a mask marks it'],
      ...(derived.length > 0 ? [['Derived', `${derived.join(', ')}: from the input, never typed`]] : []),
    ]),
  );
  const parameters = parametersOf(row);
  if (parameters.length > 0) {
    out.say();
    out.say(out.style('bold', 'Parameters'));
    const lines = parameters.map(({ name, info }) => [
      `  ${name}`,
      'default' in info ? JSON.stringify(info.default) : 'required',
      info.expected,
    ]);
    const helps = parameters.map(({ info }) => info.help);
    const aligned = table([['  name', 'default', 'expected'], ...lines]).split('\n');
    out.say(aligned.flatMap((line, index) => [line, ...(index > 0 ? [`    ${helps[index - 1]}`] : [])]).join('\n'));
  }
  for (const example of row.examples.slice(0, 1)) showExample(out, row, example);
  if (definition !== undefined) {
    out.say();
    out.say(out.style('bold', 'In PyTorch'));
    out.say(definition.trimEnd());
  }
}

function showExample(out: Output, row: LayerKind, example: LayerExample): void {
  const { params, input, output } = example;
  const made = planned(row, example);
  out.say();
  out.say(out.style('bold', 'Example'));
  out.say(`  ${JSON.stringify({ kind: row.kind, ...params })}`);
  out.say(`  ${showDims(input)} → ${showDims(output)}`);
  if (!made) return;
  const { shape, parameters, flops } = made.formulas;
  const lines = shape[0] === row.formula ? [] : shape;
  for (const line of [...lines, ...parameters, `FLOPs: ${flops}`, made.python]) out.say(`  ${line}`);
}
