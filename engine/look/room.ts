/** The worker's end of looking inside: answers one look after the other. */
import { z } from 'zod';
import type { AskContext } from '../asks/ask.ts';
import { Room } from '../asks/room.ts';
import { type Look, type LookOptions, lookOptionsSchema } from '../contract/look.ts';
import { type FromWorker, trainRequest } from '../runs/protocol.ts';
import type { TrainRequest } from '../runs/types.ts';
import { Looker } from './looker.ts';

export type LookAsks = {
  look(args: { request: TrainRequest; options: LookOptions }, context: AskContext): Promise<Look>;
};

const lookArgs = z.object({ request: trainRequest, options: lookOptionsSchema });

export function lookRoom(tell: (message: FromWorker) => void): Room {
  const open = (folder: string) => {
    const looker = new Looker(folder);
    return {
      answer: async (_name: string, args: unknown, { signal }: AskContext) => {
        const { request, options } = lookArgs.parse(args);
        return looker.look(request, options, signal);
      },
      close: () => looker.close(),
    };
  };
  return new Room(tell, open, 1);
}
