/** What crosses the border to C++ about data: packs' files, splits, how batches are loaded, and single images to be resized. */

/** One little-endian file of a data pack, row after row. */
export interface NativeColumn {
  path: string;
  dtype: 'uint8' | 'uint16' | 'float32' | 'int64';
  /** Dims of one sample; [] for a class index. */
  shape: number[];
  /** uint8 and uint16 only: value / 255 or value / 65535 gives the sample. */
  scaled: boolean;
}

export interface NativePart {
  count: number;
  input: NativeColumn;
  target: NativeColumn;
}

/** Which samples of which part, in order. `indices`: path of a little-endian int64 file; absent: all. */
export interface NativeSplit {
  part: string;
  count: number;
  indices?: string;
}

/** `data.loader` of the project, as it is carried out. */
export interface NativeLoader {
  batch_size: number;
  shuffle: boolean;
  drop_last: boolean;
  num_workers: number;
  pin_memory: boolean;
  persistent_workers: boolean;
  prefetch_factor: number;
  /**
   * Absent: shuffle. balanced and weighted: torch.multinomial(weights, n, replacement=True) of a generator seeded `seed` + epoch, the
   * weights in double: 1 / the class's samples in the training split, or the class's of `class_weights`.
   */
  sampler?: 'shuffle' | 'balanced' | 'weighted';
  class_weights?: number[] | null;
  /** The token that sequences are padded with: training batches are grouped by length and cut to their longest sample; absent: they are whole. */
  padding?: number | null;
  /** To how many positions they may be cut at most. */
  shortest?: number;
}

export interface ResizeRequest {
  /** height × width × channels, values of `bytes` little-endian bytes. */
  pixels: Uint8Array;
  height: number;
  width: number;
  /** 1 to 4. */
  channels: number;
  bytes: 1 | 2;
  /** EXIF's, 1 to 8: how the stored pixels are turned to stand upright. */
  orientation: number;
  /** Height and width of the upright image afterwards: ATen's bilinear with antialiasing, or its nearest. */
  resized: number[];
  nearest: boolean;
  /** Top, left, height and width of what is kept of the resized image; what lies beyond it is `fill`. */
  window: number[];
  /** One value a channel. */
  fill: number[];
}
