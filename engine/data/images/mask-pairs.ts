/** Which mask belongs to which image: the one of the same name, whatever its ending, in the same folder of the other tree. */
import { GradloomError } from '../../contract/errors.ts';
import { uprightSize } from './geometry.ts';
import type { ScannedFile } from './scan.ts';

export interface MaskPair {
  image: ScannedFile;
  mask: ScannedFile;
}

export interface Paired {
  pairs: MaskPair[];
  /** Without the other. */
  images: ScannedFile[];
  masks: ScannedFile[];
}

/** What follows an image's name in that of its mask. */
const suffix =
  /[_\-. ]?(masks?|segmentation|seg|labels?|gt|groundtruth|annotation|labelids|gtfine_labelids|labeltrainids|gtfine_labeltrainids|l)$/i;

/** Images and masks named relative to their folders, in the images' order. @throws GradloomError DATA_FORMAT, DATA_COUNT */
export function pairMasks(folder: string, images: readonly ScannedFile[], masks: readonly ScannedFile[]): Paired {
  const own = byStem(folder, masks, stemOf);
  const shortened = byStem(
    folder,
    masks.filter((file) => suffix.test(stemOf(file))),
    (file) => stemOf(file).replace(suffix, ''),
  );
  const used = new Set<ScannedFile>();
  const paired: Paired = { pairs: [], images: [], masks: [] };
  for (const image of images) {
    const mask =
      own.get(stemOf(image)) ??
      shortened.get(stemOf(image)) ??
      shortened.get(stemOf(image).replace(/_leftImg8bit$/, ''));
    if (mask) {
      used.add(mask);
      paired.pairs.push({ image: agreeing(image, mask), mask });
    } else paired.images.push(image);
  }
  paired.masks = masks.filter((mask) => !used.has(mask));
  if (paired.pairs.length > 0 || images.length === 0) return paired;
  throw new GradloomError(
    'DATA_COUNT',
    `None of the ${images.length} images has a mask of its name in ${folder}: of ${images[0]?.name}${masks[0] ? `, and the first mask is ${masks[0].name}` : ''}.`,
    { hint: 'Give masks the names of their images, whatever the endings: 007.jpg and 007.png.', path: folder },
  );
}

const stemOf = ({ name }: ScannedFile) => name.replace(/\.[^./]+$/, '');

function byStem(
  folder: string,
  masks: readonly ScannedFile[],
  stem: (file: ScannedFile) => string,
): Map<string, ScannedFile> {
  const found = new Map<string, ScannedFile>();
  for (const mask of masks) {
    const other = found.get(stem(mask));
    if (other) {
      throw new GradloomError('DATA_FORMAT', `${folder} has two masks of one name: ${other.name} and ${mask.name}.`, {
        hint: 'Move one of them out of the folder.',
        path: mask.path,
      });
    }
    found.set(stem(mask), mask);
  }
  return found;
}

/** The image, or the same as one that cannot be used: pixels and their classes must lie on each other. */
function agreeing(image: ScannedFile, mask: ScannedFile): ScannedFile {
  if (image.header === null) return image;
  if (mask.header === null)
    return { ...image, header: null, fault: `of its mask ${mask.name}: ${mask.fault ?? 'it is no image'}` };
  const [a, b] = [uprightSize(image.header), uprightSize(mask.header)];
  if (String(a) === String(b)) return image;
  return {
    ...image,
    header: null,
    fault: `it has ${a[1]} × ${a[0]} pixels, but its mask ${mask.name} has ${b[1]} × ${b[0]}`,
  };
}
