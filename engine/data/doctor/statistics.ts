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

  /** Image by image, each around its own mean: sums over the whole would lose the digits that a deviation is made of. */
  add(row: Row): void {
    if (!(row.splits & splitBit.train)) return;
    const values = row.values();
    const pixels = values.length / this.#channels.length;
    for (const [channel, all] of this.#channels.entries()) {
      let [sum, least, most] = [0, Infinity, -Infinity];
      const [start, end] = [channel * pixels, (channel + 1) * pixels];
      for (let i = start; i < end; i++) {
        const value = values[i] as number;
        sum += value;
        if (value < least) least = value;
        if (value > most) most = value;
      }
      const mean = sum / pixels;
      let square = 0;
      for (let i = start; i < end; i++) square += ((values[i] as number) - mean) ** 2;
      const together = all.count + pixels;
      const difference = mean - all.mean;
      all.square += square + (difference * difference * all.count * pixels) / together;
      all.mean += (difference * pixels) / together;
      all.count = together;
      all.min = Math.min(all.min, least);
      all.max = Math.max(all.max, most);
    }
  }

  answer(): ChannelStatistics[] {
    return this.#channels.map(({ count, mean, square, min, max }) => ({
      mean,
      std: Math.sqrt(square / count),
      min,
      max,
    }));
  }
}
