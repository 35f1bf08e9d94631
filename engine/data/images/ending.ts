/** Whether a file ends before its image does: what libraries say of that is vague, and some say nothing. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { ImageFormat } from './header.ts';

const jpegEnd = Buffer.from([0xff, 0xd9]);
const jpegScan = Buffer.from([0xff, 0xda]);

/** Of kinds whose ends are marked; false of others. */
export function isCutShort(path: string, format: ImageFormat): boolean {
  switch (format) {
    case 'jpeg':
      return !endsWith(path, 2, (last) => last.equals(jpegEnd)) && !endsLater(path);
    case 'png':
      return !endsWith(path, 1 << 16, (last) => last.includes('IEND'));
    case 'webp':
      return !endsWith(path, 0, (_last, size, start) => start.readUInt32LE(4) + 8 <= size + 1);
    default:
      return false;
  }
}

/** Something may follow a JPEG image. The mark of its end does not occur within pixels. */
function endsLater(path: string): boolean {
  const whole = readFileSync(path);
  return whole.indexOf(jpegEnd, Math.max(0, whole.lastIndexOf(jpegScan))) >= 0;
}

function endsWith(path: string, bytes: number, test: (last: Buffer, size: number, start: Buffer) => boolean): boolean {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const read = (count: number, at: number) => {
      const buffer = Buffer.alloc(count);
      return buffer.subarray(0, readSync(file, buffer, 0, count, at));
    };
    const start = read(8, 0);
    return start.length === 8 && test(read(bytes, Math.max(0, size - bytes)), size, start);
  } finally {
    closeSync(file);
  }
}
