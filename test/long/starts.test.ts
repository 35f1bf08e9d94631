/** Fifty starts and stops in a row: however a person hurries the buttons, the last state is the one that was asked for. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectEngine } from '../e2e/engine-connection.mjs';
import { start } from '../engine/cli-process.ts';
import { summary, temporaryFolder } from '../journeys/command-line.ts';

test('fifty starts and stops in a row end in the right state', async () => {
  const service = start(temporaryFolder(), ['serve', '--json']);
  onTestFinished(async () => {
    service.kill('SIGTERM');
    await service.ended;
  });
  const { engine, close } = await connectEngine(String((await service.until(({ type }) => type === 'serve')).url));
  onTestFinished(close);
  const made = await engine.projects.create({ template: 'digits-mlp' });
  const text = made.text.replace('"epochs": 10', '"epochs": 5000');
  let { run } = await engine.runs.start({ file: made.file, text });
  for (let i = 0; i < 50; i += 1) {
    const actions = (['stop', 'park', 'pause'] as const)[i % 3] as 'stop' | 'park' | 'pause';
    // Two windows press at the same time: both are answered, and by the same state.
    const both = await Promise.allSettled([1, 2].map(() => engine.runs.act({ run, action: actions })));
    const expected = { stop: 'stopped', park: 'parked', pause: 'paused' }[actions];
    const answered = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value.status] : []));
    expect(answered.length).toBeGreaterThan(0);
    expect(new Set(answered)).toEqual(new Set([expected]));
    expect((await engine.runs.follow({ run, points: 64, cursor: null })).status).toBe(expected);
    expect(summary(run).status).toBe(expected);
    if (actions === 'stop' && i % 2 === 0) ({ run } = await engine.runs.start({ file: made.file, text }));
    else if (actions === 'stop') await engine.runs.resume({ run });
    else expect(await engine.runs.act({ run, action: 'continue' })).toEqual({ status: 'running' });
  }
  await engine.runs.act({ run, action: 'stop' });
  const { runs } = await engine.runs.watch({});
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['stopped']));
  expect(runs.every(({ folder }) => path.dirname(folder) === path.dirname(run))).toBe(true);
});
