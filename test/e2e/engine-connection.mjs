// @ts-check
/** The engine's calls from a test or the bench, over the same socket that a window uses. */
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import { WebSocket } from 'ws';

/**
 * @typedef {object} EngineConnection
 * @property {import('@orpc/contract').ContractRouterClient<typeof import('../../engine/contract/api.ts').api>} engine
 * @property {() => void} close
 */

/**
 * @param {string} url as the service prints it, with the token
 * @returns {Promise<EngineConnection>}
 */
export async function connectEngine(url) {
  const { host, searchParams } = new URL(url);
  const headers = { Authorization: `Bearer ${searchParams.get('token')}` };
  const socket = new WebSocket(`ws://${host}/rpc`, { headers });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const link = new RPCLink({ websocket: /** @type {globalThis.WebSocket} */ (/** @type {unknown} */ (socket)) });
  return { engine: createORPCClient(link), close: () => socket.close() };
}
