/** A loopback server in the place of an AWS service, which does with each request what the test says of it, on the socket itself if need be. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AwsAccess } from '#lambdas/platform/aws/access.ts';
import { listen } from './listen.ts';

export type Turn = (response: ServerResponse, socket: Socket) => void;

export interface ScriptedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ScriptedService {
  endpoint: string;
  requests: ScriptedRequest[];
  /** All that there ever were. */
  sockets: Socket[];
  stop(): Promise<void>;
}

/** The last turn is that of all requests to come, too. */
export async function startScriptedService(...turns: [Turn, ...Turn[]]): Promise<ScriptedService> {
  const requests: ScriptedRequest[] = [];
  const sockets: Socket[] = [];
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const { method, url, headers, socket } = incoming;
    requests.push({ method, url, headers, body: await text(incoming) });
    turns[Math.min(requests.length, turns.length) - 1]?.(response, socket);
  });
  server.on('connection', (socket) => sockets.push(socket));
  const { address, stop } = await listen(server);
  return { endpoint: `http://${address}`, requests, sockets, stop };
}

export function answer(status: number, body: string, headers: Record<string, string> = {}): Turn {
  return (response) => response.writeHead(status, headers).end(body);
}

/** Nothing comes back, and the connection is gone. */
export const reset: Turn = (_, socket) => socket.resetAndDestroy();

export const hangUp: Turn = (_, socket) => socket.destroy();

/** What is there instead of an HTTP answer, and then the end of the connection. */
export function raw(bytes: string): Turn {
  return (_, socket) => socket.end(bytes);
}

/** Where all services are at one address. */
export function accessTo(endpoint: string): AwsAccess {
  return {
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test', sessionToken: undefined },
    endpoints: { dynamodb: endpoint, secretsmanager: endpoint, sqs: endpoint },
  };
}
