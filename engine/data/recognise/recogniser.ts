/** What a family of sources is given to recognise its own by. */
import type { Recognised } from '../../contract/data/inspect.ts';
import type { FolderListing } from '../listing.ts';

/** A folder with all that is below it, or a single file. Names say where things lie; what they are is said by their content alone. */
export interface Found extends FolderListing {
  /** Absolute. */
  path: string;
  kind: 'folder' | 'file';
  /** The first bytes of a file of the listing, unpacked where it is gzip; fewer if it is shorter, none if it cannot be read. */
  head(path: string, bytes: number): Promise<Buffer>;
  signal: AbortSignal;
}

/** Answers every reading of it that makes sense; none where there is none. What it throws is told as a note. */
export type Recogniser = (found: Found) => Promise<Recognised[]>;
