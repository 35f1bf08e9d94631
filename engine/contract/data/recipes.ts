/** Data sets that can be fetched from public mirrors, as `assets/sources.json` lists them. */

export interface Recipe {
  name: string;
  title: string;
  /** What it holds, in one sentence. */
  about: string;
  licence: string;
  /** Bytes to fetch. */
  bytes: number;
  /** Whether all of it lies in the workspace already. */
  there: boolean;
}

/** A pack of the cache. */
export interface CachedPack {
  key: string;
  /** What it was made from, as a person knows it. */
  title: string;
  bytes: number;
  /** ISO time of its last use. */
  used: string;
  /** Whether what it was made from is still there and the same. */
  current: boolean;
  /** A live run reads it: it cannot be removed. */
  in_use: boolean;
}
