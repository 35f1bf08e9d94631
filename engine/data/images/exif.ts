/** How an image must be turned to stand upright: the tag `Orientation` of its EXIF data, else of its XMP data. */

const orientationTag = 0x0112;

/** 1 to 8; 1 where the data say nothing, or nothing that holds. `tiff`: EXIF data from their byte order mark on, cut anywhere. */
export function orientationIn(tiff: Buffer): number {
  const little = tiff.toString('latin1', 0, 2) === 'II';
  if (tiff.length < 8 || (!little && tiff.toString('latin1', 0, 2) !== 'MM')) return 1;
  const short = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  const count = short(start);
  for (let at = start + 2; at + 12 <= tiff.length && at < start + 2 + count * 12; at += 12) {
    if (short(at) !== orientationTag) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** 1 to 8; 1 where the text says nothing, or is something else. */
export function xmpOrientation(bytes: Buffer): number {
  const found = /tiff:Orientation(?:="|>)([1-8])["<]/.exec(bytes.toString('latin1'));
  return found ? Number(found[1]) : 1;
}
