/** Every template trains: two steps of each on its own data, here or (where that takes long) in the parity suite. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { planProject } from '../../engine/contract/plan.ts';
import { readProject } from '../../engine/contract/project.ts';
import { templateCards } from '../../engine/projects.ts';
import { trainTemplate } from './template-steps.ts';

const files = mkdtempSync(path.join(os.tmpdir(), 'gradloom-templates-'));
afterAll(() => rmSync(files, { recursive: true, force: true }));

const cards = await templateCards();
const names = cards.map(({ name }) => name);

/** As torchvision counts them; test/parity compares the networks themselves. */
const torchvision: { [name: string]: number } = {
  'resnet-18': 11_689_512,
  'vgg-11': 132_863_336,
  'mobilenet-v2': 3_504_872,
  'vit-tiny': 5_372_554,
};

/** Their weights alone are half a gigabyte. */
const large = ['vgg-11'];

test('the gallery tells of every template, and of no other', () => {
  const ending = '.gradloom.json';
  const there = readdirSync('assets/templates').filter((file) => file.endsWith(ending));
  expect([...names].sort()).toEqual(there.map((file) => file.slice(0, -ending.length)).sort());
  expect(new Set(cards.map(({ title }) => title)).size).toBe(cards.length);
});

test.each(cards)(
  '$name plans without a problem, and is told of',
  ({ name, title, teaches, category, epochSeconds, text, facts }) => {
    const { project, problems } = readProject(text);
    const plan = planProject(project ?? {}, facts);
    expect([...problems, ...plan.problems]).toEqual([]);
    expect(plan.project.name).toBe(name);
    expect(plan.parameters).toBe(torchvision[name] ?? plan.parameters);
    expect(plan.project.model.weights_names !== null).toBe(name in torchvision || name === 'resnet-18-cifar');
    expect(title).toMatch(/^[A-Z]/);
    expect(teaches).toMatch(/^[A-Z].*[^.]\.$/);
    expect(category).toMatch(/^[A-Z]/);
    expect(epochSeconds).toBeGreaterThan(0);
    // Whose data are drawn must be told that they are; whose are not need not.
    expect(text.includes('choose your own')).toBe(plan.project.data.source?.kind === 'random');
  },
);

test.each(cards.filter(({ name }) => !large.includes(name)))(
  '$name trains two steps',
  async ({ name, text, facts }) => {
    const { flops } = planProject(readProject(text).project ?? {}, facts);
    const losses = await trainTemplate(name, flops > 2e8 ? 2 : 16, 2, files);
    expect(losses).toHaveLength(2);
    for (const loss of losses) expect(loss).toBeGreaterThan(0);
    expect(losses[1]).not.toBe(losses[0]);
  },
  120_000,
);
