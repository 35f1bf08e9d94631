/** Gives a file to the browser's downloads. */

/** A browser may still read the address some time after the click. */
const keepMs = 60_000;

export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), keepMs);
}
