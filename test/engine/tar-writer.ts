/** Makes TAR archives for tests. */

/** A header of the ustar format; `kind` 0 is a plain file. */
export function tarHeader(name: string, bytes: number, kind = '0'): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(kind, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

export function tarBytes(files: { name: string; content?: Buffer; kind?: string }[]): Buffer {
  const blocks = files.flatMap(({ name, content = Buffer.alloc(0), kind }) => [
    tarHeader(name, content.length, kind),
    content,
    Buffer.alloc((512 - (content.length % 512)) % 512),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
