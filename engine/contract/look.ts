/** Looking inside: what each layer of a network makes of one sample; the same objects at the command line, on the wire and between processes. */
import { z } from 'zod';

export const lookParts = ['train', 'val', 'test'] as const;
export type LookPart = (typeof lookParts)[number];
export const partWords: Readonly<Record<LookPart, string>> = { train: 'training', val: 'validation', test: 'test' };

/** Which weights the network has while it is looked at. */
const lookWeightsSchema = z.discriminatedUnion('kind', [
  /** Random ones, those that a training from the project's seed begins with. */
  z.object({ kind: z.literal('init') }),
  /** The file that the project names as `model.weights`. */
  z.object({ kind: z.literal('project') }),
  /** A weights file, or a run and one of its checkpoints (absent: the best where validation ran, else the last). */
  z.object({
    kind: z.literal('from'),
    weights: z.string(),
    checkpoint: z.union([z.enum(['best', 'last']), z.number()]).exactOptional(),
  }),
]);
export type LookWeights = z.infer<typeof lookWeightsSchema>;

/** What enters the network: the sample behind the transforms. */
export const inputPath = 'input';

export const lookOptionsSchema = z.object({
  part: z.enum(lookParts),
  /** Within the part, from 0. */
  index: z.number().int().min(0),
  weights: lookWeightsSchema,
  /** Paths of the layers whose values are wanted. */
  layers: z.array(z.string()).max(16),
  /** Statistics of every layer, or only of those. */
  statistics: z.boolean(),
  /** Values of a layer, at most: larger ones are thinned. */
  most: z.number().int().min(1),
});
export type LookOptions = z.infer<typeof lookOptionsSchema>;

const statisticsSchema = z.object({
  elements: z.number(),
  zeros: z.number(),
  nan: z.number(),
  positive_infinity: z.number(),
  negative_infinity: z.number(),
  /** Of the finite values, `std` that of the population; null without any. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  mean: z.number().nullable(),
  std: z.number().nullable(),
  /** Units (channels, features, values of a vector), and how many of them are zero everywhere for this sample. */
  units: z.number(),
  dead: z.number(),
});
export type LookStatistics = z.infer<typeof statisticsSchema>;

/** How a layer's output is meant: a vector; channels along a length; positions with features; channels of maps (or of volumes). */
const lookForms = ['vector', 'channels', 'positions', 'maps'] as const;
export type LookForm = (typeof lookForms)[number];

const lookedLayerSchema = z.object({
  path: z.string(),
  kind: z.string(),
  /** The project's own name for it. */
  name: z.string().exactOptional(),
  /** Of one sample. */
  shape: z.array(z.number()),
  form: z.enum(lookForms),
  statistics: statisticsSchema,
  /** Every `steps[d]`-th along dimension d, row-major, as little-endian Float32 in base64. */
  values: z.object({ steps: z.array(z.number()), shape: z.array(z.number()), data: z.string() }).exactOptional(),
});
export type LookedLayer = z.infer<typeof lookedLayerSchema>;

export const lookSchema = z.object({
  sample: z.object({
    part: z.enum(lookParts),
    index: z.number(),
    /** Of the part. */
    samples: z.number(),
    /** Its class, and that class's name; null where the target is no class. */
    target: z.number().nullable(),
    label: z.string().nullable(),
  }),
  /** `message`: where the weights come from, in a sentence; `missing`: tensors that are random because they were not to be had. */
  weights: z.object({ message: z.string(), missing: z.array(z.string()) }),
  /** In the network's order, a block before what is in it; first what enters it. */
  layers: z.array(lookedLayerSchema),
  /** Why the network is not looked at to its end; null: it is. `path`: the place in the project. */
  stopped: z.object({ path: z.string(), message: z.string(), hint: z.string() }).nullable(),
  device: z.string(),
  seconds: z.number(),
});
export type Look = z.infer<typeof lookSchema>;

/** The steps along each dimension with which at most `most` values are left: the last dimensions are thinned first, while they are long. */
export function thinning(shape: readonly number[], most: number): number[] {
  const steps = shape.map(() => 1);
  const left = () => shape.reduce((total, size, dim) => total * Math.ceil(size / (steps[dim] as number)), 1);
  const longest = (from: number) => {
    let [found, length] = [-1, 1];
    for (let dim = from; dim < shape.length; dim++) {
      const now = Math.ceil((shape[dim] as number) / (steps[dim] as number));
      if (now > length) [found, length] = [dim, now];
    }
    return { dim: found, length };
  };
  while (left() > most) {
    // A map of 16 × 16 is still a map; channels are left out only after that.
    const map = shape.length > 2 ? longest(1) : { dim: -1, length: 0 };
    const { dim } = map.length > 16 ? map : longest(0);
    if (dim < 0) break;
    steps[dim] = (steps[dim] as number) + 1;
  }
  return steps;
}
