/** A fake AWS service on loopback that handles each request with a script of the test, if needed on the socket itself. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AwsAccess } from '#lambdas/platform/aws/access.ts';
import { listen } from '../http/listen.ts';

export type Responder = (response: ServerResponse, socket: Socket) => void;

interface ScriptedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ScriptedService {
  endpoint: string;
  requests: ScriptedRequest[];
  sockets: Socket[];
  stop(): Promise<void>;
}

/** The last responder is repeated for all further requests. */
export async function startScriptedService(
  ...responders: [Responder, ...Responder[]]
): Promise<ScriptedService> {
  const requests: ScriptedRequest[] = [];
  const sockets: Socket[] = [];
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const { method, url, headers, socket } = incoming;
    requests.push({ method, url, headers, body: await text(incoming) });
    responders[Math.min(requests.length, responders.length) - 1]?.(response, socket);
  });
  server.on('connection', (socket) => sockets.push(socket));
  const { address, stop } = await listen(server);
  return { endpoint: `http://${address}`, requests, sockets, stop };
}

export function respondWith(status: number, body: string, headers: Record<string, string> = {}): Responder {
  return (response) => response.writeHead(status, headers).end(body);
}

export const resetConnection: Responder = (_, socket) => socket.resetAndDestroy();

export const closeConnection: Responder = (_, socket) => socket.destroy();

export function sendRaw(bytes: string): Responder {
  return (_, socket) => socket.end(bytes);
}

export function awsAccessAt(endpoint: string): AwsAccess {
  return {
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test', sessionToken: undefined },
    endpoints: {
      dynamodb: endpoint,
      events: endpoint,
      logs: endpoint,
      secretsmanager: endpoint,
      sqs: endpoint,
    },
  };
}
