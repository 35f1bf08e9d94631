/** The engine's calls from a test, over the same socket that a window uses. */
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import type { ContractRouterClient } from '@orpc/contract';
import { WebSocket } from 'ws';
import type { api } from '../../engine/contract/api.ts';

export interface EngineConnection {
  engine: ContractRouterClient<typeof api>;
  close(): void;
}

/** @param url as the service prints it, with the token */
export async function connectEngine(url: string): Promise<EngineConnection> {
  const { host, searchParams } = new URL(url);
  const socket = new WebSocket(`ws://${host}/rpc`, {
    headers: { Authorization: `Bearer ${searchParams.get('token')}` },
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket });
  return { engine: createORPCClient(link), close: () => socket.close() };
}
