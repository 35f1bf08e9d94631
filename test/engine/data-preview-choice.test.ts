/** Which samples a look at the data shows, and how large pictures are made small for it. */
import { describe, expect, test } from 'vitest';
import { chooseSamples, marksByName } from '../../engine/data/preview-choice.ts';
import { asShown } from '../../engine/data/preview-values.ts';
import { labelThumbnail, thumbnail, thumbSize } from '../../engine/data/thumbnails.ts';

describe('which samples are shown', () => {
  const names = ['cats/1.png', 'cats/2.png', 'Dogs/1.png', 'Dogs/2.png', 'Dogs/10.png'];
  const part = {
    size: 5,
    labels: Uint32Array.of(0, 0, 1, 1, 1),
    nameOf: (index: number) => names[index] as string,
    marks: marksByName(
      [
        { part: 'train', sample: 'cats/2.png', exclude: true },
        { part: 'train', sample: 'Dogs/10.png', label: 'cats' },
        { part: 'test', sample: 'Dogs/1.png', exclude: true },
      ],
      'train',
    ),
  };
  const wanted = { part: 'train' as const, start: 0, count: 9 };

  test('all in turn, without a name being read', () => {
    const nameOf = () => {
      throw new Error('not to be read');
    };
    expect(chooseSamples({ ...wanted, start: 3, count: 1 }, { ...part, nameOf })).toEqual({ positions: [3], total: 5 });
    expect(chooseSamples({ ...wanted, start: 9 }, { ...part, nameOf })).toEqual({ positions: [], total: 5 });
  });

  test('by class, name and mark, also all at once', () => {
    expect(chooseSamples({ ...wanted, class: 1, start: 1 }, part)).toEqual({ positions: [3, 4], total: 3 });
    expect(chooseSamples({ ...wanted, search: 'DOGS/1' }, part)).toEqual({ positions: [2, 4], total: 2 });
    expect(chooseSamples({ ...wanted, marked: true }, part)).toEqual({ positions: [1, 4], total: 2 });
    expect(chooseSamples({ ...wanted, marked: true, class: 1, search: '10' }, part)).toEqual({
      positions: [4],
      total: 1,
    });
    expect(chooseSamples({ ...wanted, search: 'birds' }, part)).toEqual({ positions: [], total: 0 });
  });

  test('of a split, and none where it is not known yet; or exactly these', () => {
    const splitsOf = (index: number) =>
      index === 1 ? [] : index % 2 === 0 ? (['train'] as const) : (['val'] as const);
    expect(chooseSamples({ ...wanted, within: 'train' }, { ...part, splitsOf }).positions).toEqual([0, 2, 4]);
    expect(chooseSamples({ ...wanted, within: 'train', class: 1 }, { ...part, splitsOf }).positions).toEqual([2, 4]);
    expect(chooseSamples({ ...wanted, within: 'val' }, { ...part, splitsOf: null })).toEqual({
      positions: [],
      total: 0,
    });
    expect(chooseSamples({ ...wanted, indices: [4, 0, 9], count: 0 }, part)).toEqual({ positions: [4, 0], total: 2 });
  });

  test('where targets are no classes a class narrows nothing down', () => {
    expect(chooseSamples({ ...wanted, class: 1 }, { ...part, labels: null }).total).toBe(5);
  });
});

describe('thumbnails', () => {
  test('keep the proportions, of channels three or one, and are never larger than the picture', () => {
    expect(thumbSize([3, 480, 640], 96)).toEqual({ channels: 3, height: 72, width: 96 });
    expect(thumbSize([4, 8, 8], 96)).toEqual({ channels: 1, height: 8, width: 8 });
    expect(thumbSize([1, 2, 4000], 96)).toEqual({ channels: 1, height: 1, width: 96 });
    expect(thumbSize([100], 96)).toBeNull();
    expect(thumbSize([100, 100], 96)).toBeNull();
  });

  test('each pixel is the mean of those below it', () => {
    const values = Float32Array.of(0, 1, 0.5, 0.5, 0, 1, 0.5, 0.5);
    const size = { channels: 1, height: 1, width: 2 };
    expect([...thumbnail(values, [1, 2, 4], size, [0, 1])]).toEqual([128, 128]);
    expect([...thumbnail(values, [1, 2, 4], { ...size, width: 4, height: 2 }, [0, 1])]).toEqual([0, 255, 128, 128, 0, 255, 128, 128]); // biome-ignore format: short
    expect([...thumbnail(Float32Array.of(3, 3), [1, 1, 2], size, [3, 3])]).toEqual([0, 0]);
  });

  test('take the place of the values where the samples are pictures', () => {
    const sample = { index: 4, target: 1 };
    const shown = [{ sample, raw: Float32Array.of(0, 0.25, 0.5, 1), transformed: Float32Array.of(-2, -1, 1, 2) }];
    const dims = { raw: [1, 2, 2], transformed: [1, 2, 2] };
    const small = asShown(shown, dims, 8);
    expect(small.thumbs?.raw).toEqual({ channels: 1, height: 2, width: 2 });
    expect(small.range).toEqual({ raw: [0, 1], transformed: [-2, 2] });
    expect(small.samples[0]).toMatchObject({ index: 4, target: 1, raw: [], transformed: [] });
    expect([...Buffer.from(small.samples[0]?.thumbs?.transformed ?? '', 'base64')]).toEqual([0, 64, 191, 255]);
    const masked = asShown(
      [{ ...(shown[0] as (typeof shown)[number]), sample: { ...sample, goal: [0, 300, 2, -1] } }],
      { ...dims, mask: [2, 2] },
      8,
    ).samples[0];
    expect(masked).not.toHaveProperty('goal');
    expect([...Buffer.from(masked?.thumbs?.mask ?? '', 'base64')]).toEqual([0, 45, 2, 0]);
    const labels = labelThumbnail([0, 1, 2, 3, 4, 5, 6, 7, 8], [3, 3], { height: 1, width: 3 });
    expect([...labels]).toEqual([3, 4, 5]);
    const whole = asShown(shown, { raw: [4], transformed: [4] }, 8);
    expect(whole.thumbs).toBeUndefined();
    expect(whole.samples[0]?.raw).toEqual([0, 0.25, 0.5, 1]);
  });
});
