/** What is known of the tensors between layers and of a data source before anything is loaded. */

export type ElementType = 'float32' | 'int64';

/** A tensor between layers, without the batch dimension. */
export interface TensorType {
  dims: number[];
  dtype: ElementType;
}

/** What the network should answer for one sample. */
export type TargetType =
  | {
      kind: 'class';
      classes: string[];
      /** Samples of the training part in each class: a stratified split is counted from them. */
      counts?: number[];
      /** Where the highest label was first met (a sample's index in its file), so that one beyond the network's answers can be named. */
      highest?: { sample: number; file: string };
    }
  | { kind: 'vector'; dims: number[] };

/** What a data source says of itself (read from headers and labels, never from the whole data). */
export interface DataFacts {
  input: TensorType;
  target: TargetType;
  /** Samples per part; a source without its own test part has no `test`. */
  parts: { train: number; test?: number };
}
