/**
 * What the engine service and Electron's main process say to each other over the service's parent port. Main starts processes, joins them by
 * ports and tells of their ends; what goes over the ports is not its business.
 */

/** Which live runs of the service's own are meant by a question: none is left running after `park`, `stop` and `close`. */
export type HostQuestion = 'runs' | 'park' | 'stop' | 'close';

export type ServiceToHost =
  /** It listens: windows may be connected. */
  | { type: 'ready' }
  /** Start a worker; `id` names it from now on. */
  | { type: 'worker'; id: number; entry: string }
  | { type: 'kill'; id: number }
  /** Folders of the runs that are live after what was asked. */
  | { type: 'answer'; id: number; runs: string[] };

export type HostToService =
  /** With a port: a window's calls. */
  | { type: 'connect' }
  /** With a port: the worker's other end. */
  | { type: 'worker-port'; id: number }
  /** A line of the worker's standard error. */
  | { type: 'worker-line'; id: number; line: string }
  /** `code`: as Electron tells it. */
  | { type: 'worker-exit'; id: number; code: number }
  | { type: 'ask'; id: number; question: HostQuestion };

/** Main's word to a worker whose service has died. The port between them is closed by then, but not every Electron tells that. */
export const orphaned = 'gradloom:orphaned';
