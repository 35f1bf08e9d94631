/** The engine service as a utility process of Electron: main hands it the windows' ports and starts its workers. */
import { fileURLToPath } from 'node:url';
import { RPCHandler } from '@orpc/server/message-port';
import { type Engine, openEngine } from './api/engine.ts';
import type { HostQuestion, HostToService, ServiceToHost } from './contract/host.ts';
import { type Port, PortProcesses, parentPort } from './ports.ts';

const parent = parentPort();

async function answer({ service, close }: Engine, question: HostQuestion): Promise<string[]> {
  if (question === 'close') await close();
  else if (question !== 'runs') await service.leaveRuns(question);
  return service.liveRuns();
}

if (parent) {
  const tell = (message: ServiceToHost) => parent.postMessage(message);
  const processes = new PortProcesses(tell);
  const workerEntry = fileURLToPath(new URL('worker.js', import.meta.url));
  const log = (text: string) => process.stderr.write(`${text}\n`);
  const engine = openEngine({ processes, workerEntry, root: null, log });
  const calls = new RPCHandler(engine.router, engine.handlerOptions);
  const connect = (window: Port) => {
    calls.upgrade(window, { context: {} });
    window.start();
  };
  parent.on('message', ({ data, ports }) => {
    const message = data as HostToService; // from our own main
    if (processes.take(message, ports)) return;
    if (message.type === 'ask') {
      void answer(engine, message.question)
        .catch((thrown: unknown) => {
          log(`${message.question}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
          return engine.service.liveRuns();
        })
        .then((runs) => tell({ type: 'answer', id: message.id, runs }));
    } else if (message.type === 'connect' && ports[0]) connect(ports[0]);
  });
  tell({ type: 'ready' });
} else {
  process.stderr.write('The engine service is started by the app, not by hand.\n');
  process.exitCode = 2;
}
