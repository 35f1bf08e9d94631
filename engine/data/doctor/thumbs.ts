/** Small pictures of images, light and contrast taken out of them, and a search for those that are near each other. */

/** Sides of a small picture; images that are smaller keep theirs. */
const side = 16;
const least = 8;
/** Coordinates in which small pictures are sorted into cells: their coarsest waves, rows by columns. */
const waves = [
  [0, 1],
  [1, 0],
  [1, 1],
  [0, 2],
  [2, 0],
  [1, 2],
] as const;
/** Of one cell so many are compared with a newcomer: pictures that are all alike would take a time that grows with their square. */
const mostPerCell = 200;

export interface Thumbs {
  size: number;
  /** Small pictures one after the other, each of length 1 around a mean of 0. */
  add(values: Float32Array): boolean;
  readonly count: number;
  /** Pairs (earlier, later) nearer than `distance`, and whether all were compared. */
  near(distance: number): { pairs: [number, number][]; all: boolean };
}

/** null: images too small to tell alike from equal. */
export function makeThumbs([channels = 1, height = 0, width = 0]: readonly number[], most: number): Thumbs | null {
  if (Math.min(height, width) < least) return null;
  const [rows, columns] = [Math.min(side, height), Math.min(side, width)];
  const size = rows * columns;
  const cellOf = cellsOf(height, width, rows, columns);
  const share = new Float32Array(size);
  for (const cell of cellOf) share[cell] = (share[cell] as number) + 1;
  const coordinates = waves.map(([v, u]) => wave(rows, columns, v, u));
  const pictures = new Float32Array(most * size);
  let count = 0;

  return {
    size,
    get count() {
      return count;
    },
    add(values) {
      const picture = pictures.subarray(count * size, (count + 1) * size);
      picture.fill(0);
      for (let channel = 0, at = 0; channel < channels; channel++) {
        for (let pixel = 0; pixel < cellOf.length; pixel++, at++) {
          const cell = cellOf[pixel] as number;
          picture[cell] = (picture[cell] as number) + (values[at] as number);
        }
      }
      for (let cell = 0; cell < size; cell++)
        picture[cell] = (picture[cell] as number) / ((share[cell] as number) * channels);
      if (!standardise(picture)) return false;
      count++;
      return true;
    },
    near: (distance) => nearPairs(pictures, size, count, coordinates, distance),
  };
}

function cellsOf(height: number, width: number, rows: number, columns: number): Uint16Array {
  const cells = new Uint16Array(height * width);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor((y * rows) / height) * columns;
    for (let x = 0; x < width; x++, at++) cells[at] = row + Math.floor((x * columns) / width);
  }
  return cells;
}

/** Of length 1, so that a picture's part along it changes by no more than the picture does. */
function wave(rows: number, columns: number, v: number, u: number): Float64Array {
  const values = new Float64Array(rows * columns);
  let square = 0;
  for (let y = 0, at = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++, at++) {
      const value = Math.cos((Math.PI * (y + 0.5) * v) / rows) * Math.cos((Math.PI * (x + 0.5) * u) / columns);
      values[at] = value;
      square += value * value;
    }
  }
  return values.map((value) => value / Math.sqrt(square));
}

/** Mean 0 and length 1; false where there is no contrast. */
export function standardise(values: Float32Array): boolean {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let square = 0;
  for (let i = 0; i < values.length; i++) {
    const value = (values[i] as number) - mean;
    values[i] = value;
    square += value * value;
  }
  const length = Math.sqrt(square);
  if (!(length > 1e-3 * Math.sqrt(values.length))) return false;
  for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) / length;
  return true;
}

/** Of two that are standardised: 0 equal, 2 opposite. */
export function distanceBetween(a: Float32Array, b: Float32Array, limit = Number.POSITIVE_INFINITY): number {
  const most = limit * limit;
  let square = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    square += difference * difference;
    if ((i & 31) === 31 && square > most) break;
  }
  return Math.sqrt(square);
}

/**
 * Cells are twice the distance wide, so that along each wave a near picture lies in the same cell or in the nearer neighbour: looking there
 * finds every near pair, and costs the same for each picture.
 */
function nearPairs(
  pictures: Float32Array,
  size: number,
  count: number,
  coordinates: Float64Array[],
  distance: number,
): { pairs: [number, number][]; all: boolean } {
  const picture = (at: number) => pictures.subarray(at * size, (at + 1) * size);
  const cells = new Map<number, number[]>();
  const pairs: [number, number][] = [];
  let all = true;
  // A part along a wave is from -1 to 1: so many cells on either side.
  const half = Math.ceil(1 / (2 * distance)) + 1;
  const span = 2 * half + 1;
  const [own, low, high] = [0, 0, 0].map(() => new Int32Array(coordinates.length)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  for (let at = 0; at < count; at++) {
    const values = picture(at);
    for (const [axis, along] of coordinates.entries()) {
      let part = 0;
      for (let i = 0; i < size; i++) part += (values[i] as number) * (along[i] as number);
      const place = part / (2 * distance);
      own[axis] = Math.floor(place) + half;
      low[axis] = Math.floor(place - 0.5) + half;
      high[axis] = (low[axis] as number) + 1;
    }
    for (let corner = 0; corner < 1 << coordinates.length; corner++) {
      const others = cells.get(
        keyOf(coordinates.length, span, (axis) => ((corner >> axis) & 1 ? high : low)[axis] as number),
      );
      if (!others) continue;
      if (others.length > mostPerCell) all = false;
      for (const other of others.slice(-mostPerCell)) {
        if (distanceBetween(values, picture(other), distance) <= distance) pairs.push([other, at]);
      }
    }
    const key = keyOf(coordinates.length, span, (axis) => own[axis] as number);
    const cell = cells.get(key);
    if (cell) cell.push(at);
    else cells.set(key, [at]);
  }
  return { pairs, all };
}

function keyOf(axes: number, span: number, place: (axis: number) => number): number {
  let key = 0;
  for (let axis = 0; axis < axes; axis++) key = key * span + place(axis);
  return key;
}
