/** Mean, deviation and range of each channel over the images that train. */
import type { ChannelStatistics } from '../../contract/data/doctor.ts';
import { type Patient, type Row, splitBit } from './check.ts';

interface Moments {
  count: number;
  mean: number;
  /** Sum of squared deviations. */
  square: number;
  min: number;
  max: number;
}

export class ChannelMoments {
  readonly #channels: Moments[];

  constructor({ dims: [channels = 1] }: Pick<Patient, 'dims'>) {
    this.#channels = Array.from({ length: channels }, () => ({
      count: 0,
      mean: 0,
      square: 0,
      min: Infinity,
      max: -Infinity,
    }));
  }

  /** Image by image, around what is known of the mean: plain sums of squares would lose the digits that a deviation is made of. */
  add(row: Row): void {
    if (!(row.splits & splitBit.train)) return;
    const values = row.values();
    const pixels = values.length / this.#channels.length;
    for (const [channel, all] of this.#channels.entries()) {
      const around = all.mean;
      let sum = 0;
      let squares = 0;
      let least = Number.POSITIVE_INFINITY;
      let most = Number.NEGATIVE_INFINITY;
      for (let i = channel * pixels; i < (channel + 1) * pixels; i++) {
        const value = values[i] as number;
        const away = value - around;
        sum += away;
        squares += away * away;
        if (value < least) least = value;
        if (value > most) most = value;
      }
      const mean = around + sum / pixels;
      const square = squares - (sum * sum) / pixels;
      const together = all.count + pixels;
      const difference = mean - all.mean;
      all.square += square + (difference * difference * all.count * pixels) / together;
      all.mean += (difference * pixels) / together;
      all.count = together;
      all.min = Math.min(all.min, least);
      all.max = Math.max(all.max, most);
    }
  }

  /** null where no image trains. */
  answer(): ChannelStatistics[] | null {
    if (this.#channels.some(({ count }) => count === 0)) return null;
    return this.#channels.map(({ count, mean, square, min, max }) => ({
      mean,
      std: Math.sqrt(square / count),
      min,
      max,
    }));
  }
}
