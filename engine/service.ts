/** The engine service: owns the workers. It never loads libtorch, so it outlives whatever a run does to its process. */
import { GradloomError } from './contract/errors.ts';
import type { RunAction, RunEvent, RunState } from './contract/events.ts';
import type { TaskProgress } from './contract/finders.ts';
import type { DeviceReport } from './contract/wire.ts';
import { DataKeeper } from './data/keeper.ts';
import type { ExitInfo, ProcessHost, WorkerProcess } from './processes.ts';
import type { Exported, ExportOptions } from './runs/export.ts';
import { findRun } from './runs/folder.ts';
import { sendAction } from './runs/live.ts';
import { appendLog } from './runs/log.ts';
import { type FromWorker, fromWorker, type Job, type JobResult, type ToWorker } from './runs/protocol.ts';
import { describeRun, markDied } from './runs/registry.ts';
import type {
  EndEvent,
  EvaluateOptions,
  Evaluation,
  Prediction,
  PredictOptions,
  ResumeRequest,
  TrainRequest,
} from './runs/types.ts';

export interface StartedRun {
  /** The run's folder. */
  run: string;
  /** Resolves at the run's end, also when its worker dies. */
  ended: Promise<EndEvent | GradloomError>;
}

interface PreparationProgress {
  stage: string;
  done: number;
  total: number;
}

interface LiveWorker {
  process: WorkerProcess;
  job: Job['type'];
  exited: Promise<ExitInfo>;
  ask(action: RunAction | 'interrupt'): Promise<RunState>;
}

type DisposableJob = Extract<Job, { type: 'find-lr' | 'probe' | 'measure' | 'life' }>;
type Told = Extract<FromWorker, { type: 'told' | 'refused' | 'far' }>;

interface Conversation {
  onEvent?: (event: RunEvent) => void;
  onRow?: (row: Prediction) => void;
  onProgress?: (progress: TaskProgress) => void;
  onTold?: (message: Told) => void;
  /** Is given what to say more to the worker with. */
  onOpen?: (send: (message: ToWorker) => void) => void;
  /** A line of the worker's standard error. */
  onComplaint?: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/** How long a worker may take to save when the service closes. */
const patienceMs = 20_000;
const writesNothing = new Set<Job['type']>([
  'devices',
  'evaluate',
  'predict',
  'find-lr',
  'probe',
  'measure',
  'life',
  'look',
]);
/** Their work lies in a temporary folder that somebody else removes, or can be gone on with: a cancel ends them at once. */
const disposable = new Set<Job['type']>(['find-lr', 'probe', 'measure', 'life', 'look', 'data']);

export interface ServiceOptions {
  processes: ProcessHost;
  workerEntry: string;
  /** Is called when a run of this service has begun, ended or changed its state. */
  onChange?: (run?: string) => void;
  /** Data are read below these folders only; absent: anywhere. */
  reach?: { root: string; also: string[] };
}

export class Service {
  /** Everything that reads data goes through its worker. */
  readonly data: DataKeeper;
  readonly #host: ProcessHost;
  readonly #workerEntry: string;
  readonly #reach: ServiceOptions['reach'] | null;
  readonly #workers = new Set<LiveWorker>();
  /** Runs that began here and have not ended: by folder. */
  readonly #liveRuns = new Map<string, Promise<unknown>>();
  readonly #progress = new Map<string, PreparationProgress>();
  readonly #onChange: (run?: string) => void;
  #closed = false;

  constructor(options: ServiceOptions) {
    this.#onChange = options.onChange ?? (() => {});
    this.#host = options.processes;
    this.#workerEntry = options.workerEntry;
    this.#reach = options.reach ?? null;
    this.data = new DataKeeper(this, this.#reach !== null);
  }

  /** Resolves when the run has begun; rejects when it could not. `onEvent` sees every event, also those of its preparation. */
  train(request: TrainRequest, onEvent?: (event: RunEvent) => void): Promise<StartedRun> {
    return this.#startRun({ type: 'train', request, steps: onEvent !== undefined }, onEvent);
  }

  resume(request: ResumeRequest, onEvent?: (event: RunEvent) => void): Promise<StartedRun> {
    return this.#startRun({ type: 'resume', request, steps: onEvent !== undefined }, onEvent);
  }

  /** On any live run, whoever started it. `continue` on a parked run resumes it here. */
  async act(run: string, action: RunAction): Promise<RunState> {
    const folder = await findRun(run);
    if (action === 'continue' && (await describeRun(folder)).status === 'parked') {
      await this.resume({ run: folder });
      return 'running';
    }
    return sendAction(folder, action);
  }

  /** Folders of the runs that live in workers of this service. */
  liveRuns(): string[] {
    return [...this.#liveRuns.keys()];
  }

  /** Asks all live runs of this service to leave, and waits until they have. */
  async leaveRuns(action: 'park' | 'stop'): Promise<void> {
    await Promise.all(
      [...this.#liveRuns].map(async ([run, ended]) => {
        await sendAction(run, action).catch(() => {}); // it has just ended by itself
        await ended;
      }),
    );
  }

  evaluate(run: string, options: EvaluateOptions): Promise<Evaluation> {
    const { signal, ...rest } = options;
    return this.#converse({ type: 'evaluate', run, options: rest }, { signal }) as Promise<Evaluation>;
  }

  /** Not in this process: reading back what was written takes its time. */
  exportRun(run: string, options: ExportOptions): Promise<Exported> {
    const { signal, ...rest } = options;
    return this.#converse({ type: 'export', run, options: rest }, { signal }) as Promise<Exported>;
  }

  describeDevices(): Promise<DeviceReport> {
    return this.#converse({ type: 'devices' }, {}) as Promise<DeviceReport>;
  }

  async predict(run: string, options: PredictOptions, onRow: (row: Prediction) => void): Promise<void> {
    const { signal, ...rest } = options;
    await this.#converse({ type: 'predict', run, options: rest }, { onRow, signal });
  }

  /** One job of a finder or a check, in a worker of its own; CANCELLED once `signal` aborts, and the worker is gone then. */
  work(job: DisposableJob, conversation: Pick<Conversation, 'onEvent' | 'onProgress' | 'signal'>) {
    return this.#converse(job, conversation);
  }

  /** A worker that is asked one thing after the other until it ends by itself; CANCELLED once `signal` aborts. */
  converse(job: Extract<Job, { type: 'look' | 'data' }>, conversation: Pick<Conversation, 'onTold' | 'signal'>) {
    let send: (message: ToWorker) => void = () => {};
    const ended = this.#converse(job, {
      ...conversation,
      onOpen: (opened) => {
        send = opened;
      },
    });
    return { send: (message: ToWorker) => send(message), ended };
  }

  /** How far the preparation of a run is that a worker of this service holds. */
  progressOf(folder: string): PreparationProgress | null {
    return this.#progress.get(folder) ?? null;
  }

  /** Lets every worker save and end. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...this.#workers].map(async ({ ask, exited, job, process: child }) => {
        if (writesNothing.has(job))
          child.kill(); // it may be busy with loading libtorch
        else void ask('interrupt');
        const impatient = setTimeout(() => child.kill(), patienceMs);
        await exited;
        clearTimeout(impatient);
      }),
    );
  }

  async #startRun(job: Job, onEvent: ((event: RunEvent) => void) | undefined): Promise<StartedRun> {
    return new Promise((resolve, reject) => {
      let begun = false;
      let folder: string | undefined;
      let tellEnd: (end: EndEvent | GradloomError) => void = () => {};
      const ended = new Promise<EndEvent | GradloomError>((tell) => {
        tellEnd = tell;
      });
      const begin = (run: string) => {
        folder = run;
        if (begun) return;
        begun = true;
        this.#liveRuns.set(run, ended);
        void ended.then(() => {
          if (this.#liveRuns.get(run) === ended) this.#liveRuns.delete(run); // else resumed meanwhile
        });
        resolve({ run, ended });
      };
      let unlogged: string[] = [];
      const onComplaint = (line: string) => {
        unlogged.push(`Worker: ${line}`);
        if (folder === undefined) return; // not known before the run has begun
        appendLog(folder, unlogged);
        unlogged = [];
      };
      const preparing = new Set<string>();
      this.#converse(job, {
        onEvent: (event) => {
          if (event.type === 'progress' && event.run !== undefined) preparing.add(event.run);
          if (event.type === 'start' || event.type === 'end') begin(event.run);
          this.#note(event, folder);
          onEvent?.(event);
        },
        onComplaint,
      }).then(
        (end) => {
          begin((end as EndEvent).run);
          tellEnd(end as EndEvent);
        },
        async (thrown: unknown) => {
          const error = GradloomError.from(thrown);
          for (const run of preparing) this.#progress.delete(run);
          if (folder !== undefined && error.code === 'WORKER_DIED') await markDied(folder, error);
          this.#onChange(folder);
          tellEnd(error);
          if (!begun) reject(error);
        },
      );
    });
  }

  /** `run`: the folder, once it is known. */
  #note(event: RunEvent, run: string | undefined): void {
    if (event.type === 'progress' && event.run !== undefined) {
      const { stage, done, total } = event;
      if (!this.#progress.has(event.run)) this.#onChange(event.run);
      this.#progress.set(event.run, { stage, done, total });
    }
    if (event.type === 'start' || event.type === 'end') this.#progress.delete(event.run);
    if (event.type === 'state' || event.type === 'start' || event.type === 'end') this.#onChange(run);
  }

  /** Starts a worker, gives it its job, and listens until it ends. */
  async #converse(
    job: Job,
    { onEvent, onRow, onProgress, onTold, onOpen, onComplaint, signal }: Conversation,
  ): Promise<JobResult | null> {
    if (this.#closed) throw new GradloomError('CLOSED', 'The engine service is closed');
    if (signal?.aborted) throw new GradloomError('CANCELLED', 'It was cancelled before it began');
    const child = this.#host.start(this.#workerEntry);
    const send = (message: ToWorker) => child.send(message);
    const asked = new Map<number, (status: RunState) => void>();
    let lastId = 0;
    const exited = new Promise<ExitInfo>((resolve) => child.onExit(resolve));
    const worker: LiveWorker = {
      process: child,
      job: job.type,
      exited,
      ask: (action) =>
        new Promise((resolve) => {
          lastId += 1;
          asked.set(lastId, resolve);
          send({ type: 'action', id: lastId, action });
        }),
    };
    this.#workers.add(worker);
    if (onComplaint) child.onComplaint(onComplaint);
    const cancel = () => void (disposable.has(job.type) ? child.kill() : worker.ask('interrupt'));
    signal?.addEventListener('abort', cancel);
    const result = new Promise<JobResult | null>((resolve, reject) => {
      child.onMessage((raw) => {
        const { data: message, error } = fromWorker.safeParse(raw);
        if (!message)
          reject(new GradloomError('INTERNAL', `The worker said what nobody understands: ${error.message}`));
        else if (message.type === 'event') onEvent?.(message.event);
        else if (message.type === 'row') onRow?.(message.row);
        else if (message.type === 'progress') onProgress?.(message.progress);
        else if (message.type === 'told' || message.type === 'refused' || message.type === 'far') onTold?.(message);
        else if (message.type === 'answer') asked.get(message.id)?.(message.status);
        else if (message.type === 'result') resolve(message.value);
        else reject(GradloomError.fromInfo(message.error));
      });
      void exited.then((info) => {
        this.#workers.delete(worker);
        for (const answer of asked.values()) answer('interrupted');
        const cancelled = signal?.aborted && disposable.has(job.type);
        reject(cancelled ? new GradloomError('CANCELLED', 'It was cancelled') : workerDied(info, job.type)); // without effect after a result
      });
    });
    if (this.#reach) send({ type: 'reach', ...this.#reach });
    send(job);
    onOpen?.(send);
    return result.finally(() => signal?.removeEventListener('abort', cancel));
  }
}

/** Its cause is how the process ended. */
function workerDied(ended: ExitInfo, job: Job['type']): GradloomError {
  const { code, signal, stderr } = ended;
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const said = stderr.trim().split('\n').slice(-3).join('\n');
  const ofRun = job === 'train' || job === 'resume';
  const message = `${ofRun ? 'The process of the run' : `The process that did this (${job})`} ended ${how}${said === '' ? '' : `: ${said}`}`;
  if (!ofRun) return new GradloomError('WORKER_DIED', message, { hint: 'Try again.', cause: ended });
  return new GradloomError('WORKER_DIED', message, {
    cause: ended,
    hint:
      signal === 'SIGKILL'
        ? 'The system may have run out of memory: try a smaller batch size. The run can be resumed.'
        : 'The run can be resumed from its last checkpoint.',
  });
}
