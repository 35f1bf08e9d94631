/** The worker's end of everything that reads data: several asks at once, so that a preview need not wait for an import. */
import { Room } from '../asks/room.ts';
import type { FromWorker } from '../runs/protocol.ts';
import { answerData } from './asks.ts';
import { noteWorkIn } from './at-work.ts';

/** More wait: each may hold some hundred megabytes. */
const atOnce = 8;

export function dataRoom(tell: (message: FromWorker) => void): Room {
  return new Room(
    tell,
    (folder) => {
      const stop = noteWorkIn(folder);
      return { answer: answerData, close: async () => stop() };
    },
    atOnce,
  );
}
