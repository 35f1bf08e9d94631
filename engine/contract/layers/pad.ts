/** Paddings. */
import { z } from 'zod';
import { field, largestSize, number, type Rank, type Span, sideNames } from '../fields.ts';
import { removeEdit } from '../report.ts';
import { type Explain, sideLines } from './explain.ts';
import { fix, type LayerContext, layerKind, product } from './kind.ts';
import { plain } from './layout.ts';
import { pythonCall } from './python.ts';
import { inner, planeDims, ranks, shapeFormula, wordsOf } from './window.ts';

type Mode = 'Zero' | 'Constant' | 'Reflection' | 'Replication' | 'Circular';

const labels: Record<Mode, { label: string; help: string }> = {
  Zero: { label: 'Zero padding', help: 'Adds a border of zeros' },
  Constant: { label: 'Constant padding', help: 'Adds a border of one value' },
  Reflection: { label: 'Reflection padding', help: 'Adds a border that mirrors what lies inside' },
  Replication: { label: 'Replication padding', help: 'Adds a border that repeats the outermost values' },
  Circular: { label: 'Circular padding', help: 'Adds a border that wraps around: what lies at the other end' },
};

/** As PyTorch orders them: before and after, the innermost side first. */
const borderNames: Record<Rank, string> = {
  1: 'left, right',
  2: 'left, right, top, bottom',
  3: 'left, right, top, bottom, front, back',
};

function paddingField(rank: Rank) {
  const width = z.number().int().min(-largestSize).max(largestSize);
  return field(z.union([width, z.array(width).length(2 * rank)]), {
    label: 'Padding',
    help: `Widths of the border: one for all, or [${borderNames[rank]}]; negative ones cut off.`,
    control: 'numbers',
    expected: `an integer, or [${borderNames[rank]}] of integers`,
  });
}

interface Side {
  length: number;
  before: number;
  after: number;
}

/** A side's length after padding. */
function padded({ length, before, after }: Side): number {
  return length + before + after;
}

/** What is left of a side where its border is negative. */
function cut({ length, before, after }: Side): number {
  return length + Math.min(before, 0) + Math.min(after, 0);
}

/** The widest border that the mode can fill on this side. */
function widest(mode: Mode, side: Side): number {
  if (mode === 'Reflection') return side.length - 1;
  return mode === 'Circular' ? cut(side) : Number.POSITIVE_INFINITY;
}

/** The sides that come out; null after reporting why none do. */
function pad(mode: Mode, kind: string, sides: Side[], context: LayerContext): Span | null {
  const rank = sides.length as Rank;
  const flat = (all: { before: number; after: number }[]) => {
    const list = all.toReversed().flatMap(({ before, after }) => [before, after]);
    return list.every((width) => width === list[0]) ? (list[0] as number) : list;
  };
  const setTo = (all: { before: number; after: number }[]) =>
    context.set(`Set padding to ${JSON.stringify(flat(all))}`, { padding: flat(all) });
  // Constants and wrapped borders are laid around what is left; the other modes count from the whole, wherever it is cut.
  const least = { Zero: 0, Constant: 0, Circular: 1, Reflection: null, Replication: null }[mode];
  const gone = sides.findIndex((side) => padded(side) < 1 || (least !== null && cut(side) < least));
  if (gone >= 0) {
    const { length, before, after } = sides[gone] as Side;
    const added = (side: Side, width: number) =>
      Math.min(Math.max(0, width), widest(mode, { ...side, before: 0, after: 0 }));
    return context.refuse(
      'EMPTY_OUTPUT',
      'padding',
      `The padding [${before}, ${after}] of ${kind} leaves nothing of the ${sideNames[rank][gone]}, which is ${length}`,
      'Negative widths cut off: use smaller ones.',
      [
        setTo(sides.map((side) => ({ before: added(side, side.before), after: added(side, side.after) }))),
        fix(`Remove this ${kind}`, removeEdit(context.place)),
      ],
    );
  }
  const wide = sides.findIndex((side) => Math.max(side.before, side.after) > widest(mode, side));
  if (wide >= 0) {
    const most = widest(mode, sides[wide] as Side);
    const { length, before, after } = sides[wide] as Side;
    return context.refuse(
      'BAD_VALUE',
      'padding',
      `${kind} can add at most ${most} to the ${sideNames[rank][wide]}, which is ${length}, but the padding there is [${before}, ${after}]`,
      mode === 'Reflection'
        ? 'A mirror image has no more values: use less padding, or another kind of it.'
        : 'It cannot wrap around more than once: use less padding, or another kind of it.',
      [
        setTo(
          sides.map((side) => ({
            before: Math.min(side.before, widest(mode, side)),
            after: Math.min(side.after, widest(mode, side)),
          })),
        ),
      ],
    );
  }
  return sides.map(padded);
}

/** `height: 4 + 1 − 2`. */
const explainWidths: Explain = ({ padding: given }, input, output) => {
  const widths = given as number[];
  const rank = widths.length / 2;
  const signed = (width: number) => (width < 0 ? `− ${-width}` : `+ ${width}`);
  const expressions = input.slice(-rank).map((length, side) => {
    const at = 2 * (rank - 1 - side);
    return `${length} ${signed(widths[at] as number)} ${signed(widths[at + 1] as number)}`;
  });
  return sideLines(expressions, output);
};

function padding(rank: Rank, mode: Mode) {
  const kind = `${mode}Pad${rank}d`;
  const value = number({ label: 'Value', help: 'What the border holds.' });
  const constant = mode === 'Constant';
  const params = { padding: paddingField(rank), ...(constant ? { value } : {}) };
  const around = mode === 'Zero' || constant;
  const example = constant ? { value: 0.5 } : {};
  return layerKind({
    kind,
    label: `${labels[mode].label} ${rank}D`,
    category: 'shape',
    free: true,
    ...(mode === 'Circular'
      ? plain
      : mode === 'Reflection' || mode === 'Replication'
        ? { layout: { gradient: 'input' } }
        : {}),
    help: `${labels[mode].help}, around ${wordsOf[rank].one}.`,
    params,
    formula: shapeFormula(rank, 'C', (letter) => `${letter} + both widths`),
    explain: explainWidths,
    flopsFormula: '0',
    resolve(given, context) {
      const { dims } = context.input;
      // Constants go around any number of leading dimensions, the other modes as poolings do.
      const plane =
        around && dims.length > rank
          ? { lead: dims.slice(0, -rank), size: dims.slice(-rank) }
          : planeDims(kind, rank, dims, given, context);
      if (!plane) return null;
      const widths =
        typeof given.padding === 'number' ? new Array<number>(2 * rank).fill(given.padding) : given.padding;
      const sides = plane.size.map((length, side) => {
        const at = 2 * (rank - 1 - side);
        return { length, before: widths[at] as number, after: widths[at + 1] as number };
      });
      const output = pad(mode, kind, sides, context);
      if (!output) return null;
      return {
        args: { padding: widths, ...(constant ? { value: (given as { value?: number }).value ?? 0 } : {}) },
        output: [...plane.lead, ...output],
        // PyTorch's gradients of these two ask the input for its shape, and so keep it.
        keeps: { input: mode === 'Reflection' || mode === 'Replication' },
        // Each border that wraps around passes a gradient of its own.
        workspace: { forward: 0, backward: mode === 'Circular' ? 4 * product(plane.lead) * product(output) : 0 },
      };
    },
    python: (args) => {
      const widths = args.padding as number[];
      const one = widths.every((width) => width === widths[0]);
      return pythonCall(`nn.${kind}`, params, one ? { ...args, padding: widths[0] ?? 0 } : args, Object.keys(params));
    },
    examples: [
      {
        params: { padding: 1, ...example },
        input: [2, ...inner(rank, [3, 4, 5])],
        output: [2, ...inner(rank, [5, 6, 7])],
      },
      {
        params: { padding: [1, 2, 0, -1, 2, 0].slice(0, 2 * rank), ...example },
        input: inner(rank, [3, 4, 5]),
        output: inner(rank, [5, 3, 8]),
      },
    ],
  });
}

const modes = ['Zero', 'Constant', 'Reflection', 'Replication', 'Circular'] as const;

export const padKinds = modes.flatMap((mode) => ranks.map((rank) => padding(rank, mode)));
