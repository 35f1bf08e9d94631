/** The process that holds one run, or does one evaluation: started by the service, ends with its job. */
import type { Room } from './asks/room.ts';
import { GradloomError } from './contract/errors.ts';
import { limitReach } from './data/reach.ts';
import { dataRoom } from './data/room.ts';
import { describeDevices } from './devices.ts';
import { findLr } from './finders/find-lr.ts';
import { measurePeaks } from './finders/measure-peaks.ts';
import { probeBatch } from './finders/probe-batch.ts';
import { ignoresHangup } from './hangup.ts';
import { lookRoom } from './look/room.ts';
import { type Parent, parentOfWorker } from './processes.ts';
import { type EventSink, evaluateRun, exportRun, predictRun, RunControl, resumeRun, trainRun } from './runs/index.ts';
import { type FromWorker, type Job, type JobResult, toWorker } from './runs/protocol.ts';
import { traceLife } from './verify/trace.ts';

function serve(parent: Parent): void {
  const control = new RunControl();
  const tell = (message: FromWorker) => parent.send(message);
  const say = (message: FromWorker) => void tell(message);
  const rooms: { [Type in 'look' | 'data']: () => Room } = { look: () => lookRoom(say), data: () => dataRoom(say) };
  let room: Room | null = null;
  let busy = false;

  const work = async (job: Job): Promise<JobResult | null> => {
    const steps = job.type === 'life' || ('steps' in job && job.steps === true);
    const sink: EventSink = (event) => {
      if (steps || event.type !== 'steps') void tell({ type: 'event', event });
    };
    switch (job.type) {
      case 'train':
        return trainRun(job.request, sink, control);
      case 'resume':
        return resumeRun(job.request, sink, control);
      case 'evaluate':
        return evaluateRun(job.run, { ...job.options, signal: control.signal });
      case 'predict':
        await predictRun(job.run, { ...job.options, signal: control.signal }, (row) => tell({ type: 'row', row }));
        return null;
      case 'export':
        return exportRun(job.run, { ...job.options, signal: control.signal });
      case 'find-lr':
        return findLr(job.request, {
          ...job.options,
          folder: job.folder,
          signal: control.signal,
          onProgress: (progress) => void tell({ type: 'progress', progress }),
        });
      case 'probe':
        return probeBatch(job.request, job, control.signal);
      case 'measure':
        return measurePeaks(job.request, job, control.signal);
      case 'life':
        return traceLife(job.request, job.life, sink, control);
      case 'look':
      case 'data':
        room = rooms[job.type]();
        return room.run(job.folder, control.signal);
      case 'devices':
        return describeDevices();
    }
  };

  const begin = async (job: () => ReturnType<typeof work>) => {
    try {
      await tell({ type: 'result', value: await job() });
    } catch (thrown) {
      await tell({ type: 'failure', error: GradloomError.from(thrown).toInfo() });
    }
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onHangup);
    parent.leave();
  };

  const onSignal = (signal: NodeJS.Signals) => void control.interrupt(signal);
  const onHangup = ignoresHangup() ? () => {} : onSignal;
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onHangup);
  parent.onLost(() => {
    if (busy) void control.interrupt('its parent process ended');
    else process.exit(0);
  });
  parent.onMessage((message) => {
    const parsed = toWorker.safeParse(message);
    if (parsed.success && parsed.data.type === 'action') {
      const { action, id } = parsed.data;
      const reached = action === 'interrupt' ? control.interrupt('the service closes') : control[action]();
      void reached.then((status) => tell({ type: 'answer', id, status }));
      return;
    }
    if (parsed.success && parsed.data.type === 'ask') return room?.ask(parsed.data);
    if (parsed.success && parsed.data.type === 'forget') return room?.forget(parsed.data.id);
    if (parsed.success && parsed.data.type === 'reach') return limitReach(parsed.data);
    if (busy) return; // one job a worker, and it goes on
    busy = true;
    void begin(() => {
      if (parsed.success) return work(parsed.data as Job);
      throw new GradloomError('BAD_CALL', `A worker cannot do this: ${parsed.error.message}`);
    });
  });
}

const parent = parentOfWorker();
if (parent) serve(parent);
else {
  process.stderr.write('The worker is started by the engine service, not by hand.\n');
  process.exitCode = 2;
}
