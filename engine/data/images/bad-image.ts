/** Why a file that is or should be an image cannot be read. */

/** The message is part of a sentence about the file: `it is cut short`. */
export class BadImage extends Error {}
