/** Fixes that keep layers: one that holds others is unwrapped, a Flatten that stands too early is moved. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../engine/contract/native.ts';
import { planProject } from '../../engine/contract/plan.ts';
import { applyEdits } from './apply-edits.ts';
import { conv, digits, flatten, head, linear, projectWith, relu } from './cases.ts';

const pool = { kind: 'MaxPool2d', kernel_size: 2 };
const residual = (layers: Json[]) => ({ kind: 'Residual', layers });
const parallel = (branches: Json[][]) => ({ kind: 'Parallel', branches });

describe('a layer that holds others', () => {
  const offersFor = (layers: Json[], more = {}) =>
    planProject(projectWith([...layers, ...head], { model: { layers: [...layers, ...head], ...more } }), digits)
      .problems.flatMap(({ fixes }) => fixes)
      .slice(-2);

  test('is unwrapped before it is removed, and its removal names what goes with it', () => {
    const layers: Json[] = [residual([conv(8, { stride: 2 }), relu, parallel([[relu]])])];
    const [unwrap, removal] = offersFor(layers);
    expect(unwrap?.label).toBe('Unwrap this Residual');
    expect(removal?.label).toBe('Remove this Residual and its 4 layers');
    const project = projectWith([...layers, ...head]);
    const after = applyEdits(project, unwrap?.edits ?? []) as typeof project;
    const { layers: left } = after.model as { layers: Json[] };
    expect(left).toEqual([conv(8, { stride: 2 }), relu, parallel([[relu]]), ...head]);
  });

  test('is only removed where its layers do not fit without it either', () => {
    const labels = offersFor([parallel([[flatten], [conv(2)]])]).map(({ label }) => label);
    expect(labels).not.toContain('Unwrap this Parallel');
    expect(labels).toContain('Remove this Parallel and its 2 layers');
  });

  test('as the use of a named block leaves the definition to the other uses', () => {
    const use = (more = {}) => ({ kind: 'Block', ref: 'join', ...more });
    const once = offersFor([use({ disabled: 3 })], { blocks: { join: { layers: [relu, relu] } } });
    expect(once.map(({ label }) => label)).toEqual(['Unwrap this Block', 'Remove this Block']);
    expect(once[0]?.edits.at(-1)).toEqual({ op: 'remove', path: ['model', 'blocks', 'join'] });
    const twice = offersFor([use({ disabled: 3 }), use()], { blocks: { join: { layers: [relu, relu] } } });
    expect(twice[0]?.edits.map(({ op }) => op)).toEqual(['remove', 'insert', 'insert']);
  });
});

describe('a Flatten that stands too early', () => {
  const early = (layers: Json[]) => {
    const project = projectWith(layers);
    const [problem] = planProject(project, digits).problems;
    return { project, fixes: problem?.fixes ?? [] };
  };

  test('is moved to just before the first layer that reads rows, by the number of the layer behind which it comes', () => {
    const disabled = { ...pool, disabled: true };
    const { project, fixes } = early([conv(4), flatten, disabled, conv(8), relu, { kind: 'Dropout' }, linear(10)]);
    const labels = fixes.map(({ label }) => label);
    expect(labels.slice(0, 2)).toEqual(['Remove the Flatten before it', 'Move Flatten behind layer 4']);
    const after = applyEdits(project, fixes[1]?.edits ?? []) as typeof project;
    expect((after.model as { layers: Json[] }).layers.slice(-3)).toEqual([{ kind: 'Dropout' }, flatten, linear(10)]);
    expect(planProject(after, digits).problems).toEqual([]);
  });

  test('is not moved where another comes later', () => {
    const labels = early([conv(4), flatten, conv(8), ...head]).fixes.map(({ label }) => label);
    expect(labels).toContain('Remove the Flatten before it');
    expect(labels.join()).not.toContain('Move');
  });
});
