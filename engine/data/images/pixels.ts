/** Decoded pixels, and the rules by which their channels and bits become those of the data set: Pillow's, so that numbers agree with it. */

export type ChannelName = 'L' | 'RGB' | 'RGBA';

export const channelCount: Readonly<Record<ChannelName, number>> = { L: 1, RGB: 3, RGBA: 4 };

/** Height × width × channels, channels side by side. */
export interface Pixels {
  values: Uint8Array | Uint16Array;
  height: number;
  width: number;
  channels: number;
}

/** The named channels of grey (1 channel), grey with alpha (2), RGB (3) or RGBA (4). */
export function withChannels(from: Pixels, name: ChannelName): Pixels {
  const channels = channelCount[name];
  if (from.channels === channels) return from;
  const { values, height, width } = from;
  const count = height * width;
  const made = values instanceof Uint8Array ? new Uint8Array(count * channels) : new Uint16Array(count * channels);
  const step = from.channels;
  const most = values instanceof Uint8Array ? 255 : 65_535;
  const coloured = step > 2;
  for (let i = 0, at = 0, to = 0; i < count; i += 1, at += step) {
    const red = values[at] as number;
    if (channels === 1) {
      made[to++] = coloured ? grey(red, values[at + 1] as number, values[at + 2] as number) : red;
      continue;
    }
    made[to++] = red;
    made[to++] = coloured ? (values[at + 1] as number) : red;
    made[to++] = coloured ? (values[at + 2] as number) : red;
    if (channels === 4) made[to++] = step === 2 ? (values[at + 1] as number) : most;
  }
  return { values: made, height, width, channels };
}

/** ITU-R 601-2, in the 16-bit fixed point of Pillow's `convert('L')`. */
function grey(red: number, green: number, blue: number): number {
  return Math.floor((red * 19_595 + green * 38_470 + blue * 7_471 + 32_768) / 65_536);
}

/** Pillow's CMYK to RGB: no colour profile has a say. 0 is no ink. */
export function cmykToRgb({ values, height, width }: Pixels): Pixels {
  const made = new Uint8Array(height * width * 3);
  for (let at = 0, to = 0; at < values.length; at += 4) {
    const light = 255 - (values[at + 3] as number);
    for (let c = 0; c < 3; c += 1) {
      const product = (values[at + c] as number) * light + 128;
      made[to++] = light - ((product + (product >> 8)) >> 8);
    }
  }
  return { values: made, height, width, channels: 3 };
}

/** 8 bits among 16: 255 is 65535, as white stays white. */
export function widened(from: Pixels): Pixels {
  if (from.values instanceof Uint16Array) return from;
  return { ...from, values: Uint16Array.from(from.values, (value) => value * 257) };
}

/** 16 bits where a network knows 8. */
export function narrowed(from: Pixels): Pixels {
  if (from.values instanceof Uint8Array) return from;
  return { ...from, values: Uint8Array.from(from.values, (value) => Math.round(value / 257)) };
}

/** Channels × height × width, as little-endian bytes. */
export function planes({ values, channels }: Pixels): Uint8Array {
  const made = values instanceof Uint8Array ? new Uint8Array(values.length) : new Uint16Array(values.length);
  const area = values.length / channels;
  for (let c = 0, to = 0; c < channels; c += 1) {
    for (let at = c; to < (c + 1) * area; at += channels) made[to++] = values[at] as number;
  }
  return new Uint8Array(made.buffer);
}
