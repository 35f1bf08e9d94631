/** Wishes and their answers, the sizes of chunks, the choice of a device. */
import { describe, expect, test } from 'vitest';
import { chooseDevice, choosePrecision, precisionsOn } from '../../engine/contract/device-choice.ts';
import type { NativeDevice } from '../../engine/contract/native.ts';
import { ChunkSize } from '../../engine/runs/chunks.ts';
import { RunControl } from '../../engine/runs/control.ts';

describe('a wish', () => {
  test('is answered when it has taken effect', async () => {
    const control = new RunControl();
    control.reached('running');
    let answer: string | undefined;
    const paused = control.pause().then((state) => {
      answer = state;
    });
    await Promise.resolve();
    expect([control.wish, answer]).toEqual(['pause', undefined]);
    control.reached('paused');
    await paused;
    expect(answer).toBe('paused');
    const going = control.continue();
    expect(control.wish).toBe('run');
    control.reached('running');
    expect(await going).toBe('running');
  });

  test('for what is already so is answered at once', async () => {
    const control = new RunControl();
    control.reached('running');
    expect(await control.continue()).toBe('running');
    control.reached('completed', true);
    expect(await Promise.all([control.pause(), control.stop(), control.interrupt('SIGINT')])).toEqual(
      Array(3).fill('completed'),
    );
  });

  test('to leave overtakes a pause and is not taken back', async () => {
    const control = new RunControl();
    control.reached('running');
    const answers = [control.pause(), control.stop(), control.continue(), control.pause()];
    expect([control.wish, control.leaving, control.leftAs, control.signal.aborted]).toEqual([
      'stop',
      true,
      'stopped',
      true,
    ]);
    control.reached('stopped', true);
    expect(await Promise.all(answers)).toEqual(Array(4).fill('stopped'));
  });

  test('a signal overtakes a stop, a discard overtakes all', () => {
    const control = new RunControl();
    void control.stop();
    void control.interrupt('SIGTERM');
    expect([control.leftAs, control.reason]).toEqual(['interrupted', 'SIGTERM']);
    void control.discard();
    void control.park();
    expect(control.wish).toBe('discard');
  });

  test('`unpaused` waits through as many pauses as come', async () => {
    const control = new RunControl();
    control.reached('running');
    void control.pause();
    let going = false;
    const waiting = control.unpaused().then(() => {
      going = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(going).toBe(false);
    void control.park();
    await waiting;
    expect(control.leaving).toBe(true);
  });
});

describe('chunks', () => {
  const settle = (secondsPerStep: number) => {
    const size = new ChunkSize();
    for (let i = 0; i < 12; i += 1) {
      const steps = size.next(1000);
      size.took(steps, steps * secondsPerStep);
    }
    return size.next(1000);
  };

  test('settle at 50–100 ms, and at one for slow steps', () => {
    for (const seconds of [0.0005, 0.002, 0.01, 0.024]) {
      expect(settle(seconds) * seconds).toBeGreaterThan(0.045);
      expect(settle(seconds) * seconds).toBeLessThanOrEqual(0.1);
    }
    expect([settle(0.2), settle(10)]).toEqual([1, 1]);
  });

  test('never go over the end of an epoch, and a short rest does not shrink the next', () => {
    const size = new ChunkSize();
    for (let i = 0; i < 12; i += 1) size.took(size.next(100), size.next(100) * 0.001);
    expect(size.next(3)).toBe(3);
    size.took(3, 0.003);
    expect(size.next(1000)).toBeGreaterThan(50);
  });
});

describe('the device', () => {
  const device = (name: string) => ({
    name,
    label: name.toUpperCase(),
    memory_total: null,
    memory_free: null,
    capability: null,
    half: [],
  });
  const cpu = device('cpu');

  test('auto prefers CUDA, MPS, XPU, any other back end, the CPU; and says why', () => {
    const pick = (...names: string[]) => chooseDevice('auto', names.map(device)).value;
    expect(pick('cpu', 'mps', 'cuda:0', 'cuda:1')).toBe('cuda:0');
    expect(pick('cpu', 'xpu:0', 'mps')).toBe('mps');
    expect(pick('cpu', 'foo:0', 'xpu:0')).toBe('xpu:0');
    expect(pick('cpu', 'foo:0')).toBe('foo:0');
    expect(chooseDevice('auto', [cpu])).toEqual({ value: 'cpu', reason: 'no accelerator was found' });
  });

  test('a name without number is the first of its kind; one that is not there is an error that says what is', () => {
    expect(chooseDevice('cuda', [cpu, device('cuda:0'), device('cuda:1')])).toEqual({ value: 'cuda:0' });
    expect(() => chooseDevice('cuda:7', [cpu, device('cuda:0')])).toThrow(
      expect.objectContaining({ code: 'DEVICE_UNAVAILABLE', hint: expect.stringContaining('cuda:0 (CUDA:0)') }),
    );
    expect(() => chooseDevice('mps', [cpu])).toThrow(expect.objectContaining({ code: 'DEVICE_UNAVAILABLE' }));
    expect(() => chooseDevice('gpu', [cpu])).toThrow(expect.objectContaining({ code: 'DEVICE_UNKNOWN' }));
  });

  test.each<[string, NativeDevice['half'], string]>([
    ['cpu', [], 'fp32'],
    ['cpu', ['bf16'], 'bf16'],
    ['cuda:0', ['bf16', 'fp16'], 'bf16'],
    ['cuda:0', ['fp16'], 'fp16'],
    ['cuda:0', [], 'fp32'],
    ['mps', ['fp16'], 'fp32'],
    ['xpu:0', ['bf16', 'fp16'], 'bf16'],
    ['foo:0', [], 'fp32'],
  ])('on %s with instructions for [%s] precision auto is %s, and says why', (name, half, expected) => {
    expect(choosePrecision('auto', { ...device(name), half })).toEqual({
      value: expected,
      reason: expect.stringContaining('instructions'),
    });
    for (const asked of ['fp32', 'bf16', 'fp16'] as const) {
      expect(choosePrecision(asked, { ...device(name), half })).toEqual({ value: asked });
    }
  });

  test('every format is offered, and a slow one is told', () => {
    expect(precisionsOn({ ...cpu, half: ['bf16'] })).toEqual([
      { value: 'fp32' },
      { value: 'bf16' },
      { value: 'fp16', note: expect.stringContaining('CPU') },
    ]);
    expect(precisionsOn({ ...device('cuda:0'), half: ['fp16'] })).toEqual([
      { value: 'fp32' },
      { value: 'bf16', note: expect.stringContaining('bf16') },
      { value: 'fp16' },
    ]);
  });
});
