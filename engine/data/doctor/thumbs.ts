/** Small pictures of images, light and contrast taken out of them, and a search for those that are near each other. */

/** Sides of a small picture; images that are smaller keep theirs. */
const side = 16;
const least = 8;
/** Waves along which small pictures are described: rows and columns of up to so many half waves. */
const finest = 4;
/** By the waves that tell these pictures apart best they are sorted into cells. */
const axes = 7;
/** A newcomer is compared with so many: pictures that are all alike would take a time that grows with the square of their number. */
const mostCompared = 3000;

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
  const waves = Array.from({ length: (finest + 1) ** 2 - 1 }, (_, i) =>
    wave(rows, columns, Math.floor((i + 1) / (finest + 1)), (i + 1) % (finest + 1)),
  );
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
    near: (distance) => nearPairs({ pictures, size, count, waves }, distance),
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
    if ((i & 7) === 7 && square > most) break;
  }
  return Math.sqrt(square);
}

interface Pictures {
  pictures: Float32Array;
  size: number;
  count: number;
  waves: Float64Array[];
}

/**
 * A picture's part along a wave changes by no more than the picture does. So near pictures lie, along each axis, in the same of cells twice the
 * distance wide or in the nearer neighbour: looking there finds every near pair, and costs the same for each picture.
 */
function nearPairs(all: Pictures, distance: number): { pairs: [number, number][]; all: boolean } {
  const { pictures, size, count, waves } = all;
  const picture = (at: number) => pictures.subarray(at * size, (at + 1) * size);
  const width = waves.length;
  const parts = partsOf(all);
  const part = (at: number) => parts.subarray(at * width, (at + 1) * width);
  const chosen = mostVaried(parts, width);
  const cells = new Map<number, number[]>();
  const pairs: [number, number][] = [];
  let whole = true;
  // A part is from -1 to 1: so many cells on either side.
  const half = Math.ceil(1 / (2 * distance)) + 1;
  const span = 2 * half + 1;
  const low = new Int32Array(chosen.length);
  for (let at = 0; at < count; at++) {
    const own = part(at);
    let key = 0;
    for (const [axis, wave] of chosen.entries()) {
      const place = (own[wave] as number) / (2 * distance);
      low[axis] = Math.floor(place - 0.5) + half;
      key = key * span + Math.floor(place) + half;
    }
    let compared = 0;
    for (let corner = 0; corner < 1 << chosen.length; corner++) {
      let neighbour = 0;
      for (let axis = 0; axis < chosen.length; axis++)
        neighbour = neighbour * span + (low[axis] as number) + ((corner >> axis) & 1);
      const others = cells.get(neighbour);
      if (!others) continue;
      for (let i = others.length - 1; i >= 0 && compared < mostCompared; i--, compared++) {
        const other = others[i] as number;
        if (distanceBetween(own, part(other), distance) > distance) continue;
        if (distanceBetween(picture(at), picture(other), distance) <= distance) pairs.push([other, at]);
      }
    }
    if (compared >= mostCompared) whole = false;
    const cell = cells.get(key);
    if (cell) cell.push(at);
    else cells.set(key, [at]);
  }
  return { pairs, all: whole };
}

function partsOf({ pictures, size, count, waves }: Pictures): Float32Array {
  const parts = new Float32Array(count * waves.length);
  for (let at = 0; at < count; at++) {
    for (const [axis, along] of waves.entries()) {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += (pictures[at * size + i] as number) * (along[i] as number);
      parts[at * waves.length + axis] = sum;
    }
  }
  return parts;
}

/** The waves whose parts vary most; of equals the coarser. */
function mostVaried(parts: Float32Array, width: number): number[] {
  const count = parts.length / width;
  const variance = Array.from({ length: width }, (_, axis) => {
    let [sum, square] = [0, 0];
    for (let at = axis; at < parts.length; at += width) {
      sum += parts[at] as number;
      square += (parts[at] as number) ** 2;
    }
    return square - (sum * sum) / count;
  });
  const order = variance
    .map((_, axis) => axis)
    .sort((a, b) => (variance[b] as number) - (variance[a] as number) || a - b);
  return order.slice(0, axes);
}
