/** What the service tells of templates, data, devices and runs: objects made whole by the engine, read by the window. */
import type { RunRow } from './api.ts';
import type { Autopsy } from './autopsy.ts';
import type { DataNote } from './data/inspect.ts';
import type { Mark } from './data/marks.ts';
import type { NativeDevice } from './native.ts';
import type { DataFacts, PartName } from './tensors.ts';

export interface TemplateCard {
  /** As `projects.create` takes it. */
  name: string;
  title: string;
  /** What it learns, in one sentence. */
  teaches: string;
  /** The heading under which it stands. */
  category: string;
  /** About how long one of its epochs takes on two CPU cores: what to expect before it was trained here. */
  epochSeconds: number;
  /** The project's text: the window draws its network. */
  text: string;
  /** Of the data that comes with it. */
  facts: DataFacts;
}

export interface PreviewSample {
  /** Position in the part. */
  index: number;
  /** As the source names it: `cats/007.jpg`, `row 18`. */
  name?: string;
  /** What is marked on it. */
  mark?: Omit<Mark, 'part' | 'sample'>;
  /** Class index, or null where the target is no class. */
  target: number | null;
  /** Values as the network gets them without the transforms, `facts.input.dims`, and with them, the preview's `dims`. */
  raw: number[];
  transformed: number[];
  /** Of targets that are no single class: the class at each position, the numbers, a 0 or 1 a label; as the network is asked for them. */
  goal?: number[];
  /** Of `goal`, after transforms that move the input. */
  transformedGoal?: number[];
  /** What the input's tokens are read as. */
  text?: string;
  /**
   * Bytes in base64, channel by channel, row by row, of the preview's `thumbs`: 0 and 255 are the ends of the preview's range. In place of a
   * `goal` that lies over the picture, the class at each pixel.
   */
  thumbs?: { raw: string; transformed: string; mask?: string; transformedMask?: string };
  /** Where asked for: the splits that it is in, as the project divides the data; none where it is left out. Absent: that is told once the data are packed. */
  splits?: PartName[];
}

/** A picture made smaller, for galleries. */
export interface ThumbSize {
  channels: number;
  height: number;
  width: number;
}

export interface ProjectPreview {
  facts: DataFacts;
  /** Of transformed samples; absent: `facts.input.dims`. */
  dims?: number[];
  /** Of the part, after filters. */
  total: number;
  /** What opening the source brought up: files left out, rules applied. */
  notes?: DataNote[];
  samples: PreviewSample[];
  /** Over the samples shown, before and after the transforms. */
  range: { raw: [number, number]; transformed: [number, number] };
  /** Where thumbnails were asked for and the samples are pictures; their values are then left out. */
  thumbs?: { raw: ThumbSize; transformed: ThumbSize };
  /** Whether the splits of the part's samples can be told now, or once the data are packed. */
  divided?: boolean;
  /** Why the transforms could not be applied; then `transformed` is `raw`. */
  transformError: string | null;
}

export interface DeviceReport {
  devices: NativeDevice[];
  /** libtorch, MKL, OpenMP, Node…, by name. */
  versions: { [name: string]: string };
  /** Of this computer. */
  host: { cpu: string; cores: number; memory_total: number; memory_free: number };
  /** What is missing or notable, as `doctor` says it. */
  findings: { ok: boolean; title: string; detail: string; hint?: string }[];
  /** ISO time of the asking. */
  asked: string;
}

export interface RunDetails extends RunRow {
  /** The project as it was run. */
  project: string;
  environment: { [key: string]: unknown };
  checkpoints: { folder: string; step: number; epoch: number; roles: string[]; bytes: number }[];
  /** Why it stopped being finite, if it did. */
  autopsy: Autopsy | null;
  exports: { name: string; bytes: number; modified: string }[];
  /** Of the whole folder. */
  bytes: number;
}

/** A resume with another last epoch, before it is started: the optimizer's learning rate as it was planned and as it will be. */
export interface ExtensionPlan {
  /** Where the run goes on: real steps and epochs done. */
  from_step: number;
  from_epoch: number;
  epochs_before: number;
  epochs: number;
  steps_per_epoch: number;
  /** What the schedule's clock counts; null: there is none. */
  unit: 'epoch' | 'step' | null;
  /** Some steps of the whole run, by real steps done before each; those before `from_step` are done. */
  steps: number[];
  /** null beyond the end that was planned before. */
  before: (number | null)[];
  after: number[];
  note: string | null;
}
