/** Draws toy problems. Moons, circles and blobs are defined as scikit-learn's make_moons, make_circles (factor 0.8) and make_blobs are. */
import { type ToySource, toyClasses, toyCounts, toyNoise } from '../../contract/sources/toy.ts';
import { Generator } from './generator.ts';

export interface Drawn {
  /** Row-major. */
  inputs: Float32Array;
  /** Class indices, or numbers. */
  targets: Float64Array;
}

type Point = [number, number];
/** The place of sample `i` of `count` of a class, before noise. */
type Curve = (label: number, i: number, count: number) => Point;

/** How far the arms of a spiral turn, in radians. */
const turn = 4;
const inner = 0.8;
/** Blobs lie in the square from −10 to 10. */
const reach = 10;

/** Both parts from one stream of random numbers, the training part first: the test part has the same blobs, and other points. */
export function drawToy(source: ToySource): { train: Drawn; test: Drawn } {
  const generator = new Generator(source.seed);
  const curve = curveOf(source, generator);
  const draw = (samples: number, test: boolean) =>
    source.shape === 'sine' ? sine(source, samples, generator) : points(source, samples, curve, test, generator);
  const train = draw(source.samples, false);
  return { train, test: draw(source.test_samples, true) };
}

function curveOf({ shape, classes }: ToySource, generator: Generator): Curve {
  const { PI, cos, sin } = Math;
  switch (shape) {
    case 'spirals':
      return (label, i, count) => {
        const radius = fraction(i, count);
        const angle = (2 * PI * label) / classes + turn * radius;
        return [radius * sin(angle), radius * cos(angle)];
      };
    case 'moons':
      return (label, i, count) => {
        const angle = PI * fraction(i, count);
        return label === 0 ? [cos(angle), sin(angle)] : [1 - cos(angle), 0.5 - sin(angle)];
      };
    case 'circles':
      return (label, i, count) => {
        const angle = (2 * PI * i) / count;
        const radius = label === 0 ? 1 : inner;
        return [radius * cos(angle), radius * sin(angle)];
      };
    default: {
      const centres = Array.from({ length: classes }, (): Point => [centre(generator), centre(generator)]);
      return (label) => centres[label] as Point;
    }
  }
}

const fraction = (i: number, count: number) => (count > 1 ? i / (count - 1) : 0.5);
const centre = (generator: Generator) => reach * (2 * generator.uniform() - 1);

function points(source: ToySource, samples: number, curve: Curve, test: boolean, generator: Generator): Drawn {
  const noise = toyNoise(source);
  const counts = toyCounts(toyClasses(source) ?? 1, samples);
  const inputs = new Float32Array(2 * samples);
  const targets = new Float64Array(samples);
  const order = generator.order(samples);
  let at = 0;
  for (const [label, count] of counts.entries()) {
    for (let i = 0; i < count; i++, at++) {
      // A test part without noise would be the training part again: its points lie between those.
      const [x, y] = test ? curve(label, i + 0.5, count + 1) : curve(label, i, count);
      const row = order[at] as number;
      inputs[2 * row] = x + noise * generator.normal();
      inputs[2 * row + 1] = y + noise * generator.normal();
      targets[row] = label;
    }
  }
  return { inputs, targets };
}

function sine(source: ToySource, samples: number, generator: Generator): Drawn {
  const noise = toyNoise(source);
  const inputs = new Float32Array(samples);
  const targets = new Float64Array(samples);
  for (let i = 0; i < samples; i++) {
    const x = Math.PI * (2 * generator.uniform() - 1);
    inputs[i] = x;
    targets[i] = Math.sin(x) + noise * generator.normal();
  }
  return { inputs, targets };
}
