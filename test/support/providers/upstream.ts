/** A fake provider on loopback for any protocol: records requests and sends scripted responses. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../http/listen.ts';
import { recordContent } from '../planted-secrets/output-recorder.ts';
import type { RecordedRequest, Respond } from './upstream-responses.ts';

/** Responds to requests that have no scripted response. */
export interface UpstreamProtocol<Behaviour> {
  /** Path of the base URL, such as `/v1`; may be empty. */
  path: string;
  respond(request: RecordedRequest, behaviour: Behaviour): Respond;
}

export interface Upstream<Behaviour> {
  /** For example `http://127.0.0.1:41234/v1`. */
  baseUrl: string;
  requests: RecordedRequest[];
  /** May be changed between requests. */
  behaviour: Behaviour;
  /** Queues responses for the next requests. */
  script(...responses: Respond[]): void;
  /** The number of queued responses that have not been sent. */
  countScripted(): number;
  /** Returns the oldest request not taken yet; waits for one if there is none. */
  takeRequest(): Promise<RecordedRequest>;
  stop(): Promise<void>;
}

export async function startUpstream<Behaviour>(
  protocol: UpstreamProtocol<Behaviour>,
  behaviour: Behaviour,
): Promise<Upstream<Behaviour>> {
  const requests: RecordedRequest[] = [];
  let received = 0;
  const scripted: Respond[] = [];
  let taken = 0;
  const waiting: (() => void)[] = [];
  const server = createServer(async (incoming, response) => {
    try {
      markResponsePrivate(response);
      const { request, disconnect } = await receive(incoming, response, ++received);
      recordContent(request.body);
      requests.push(request);
      for (const wake of waiting.splice(0)) wake();
      const respond = scripted.shift() ?? protocol.respond(request, upstream.behaviour);
      await respond({ request, response, disconnect });
    } catch (error) {
      response.destroy(error instanceof Error ? error : undefined);
    }
  });
  // A client that reuses an idle connection while the server closes it would spend its retry on that.
  server.keepAliveTimeout = 0;
  const { address, stop } = await listen(server);
  const upstream: Upstream<Behaviour> = {
    baseUrl: `http://${address}${protocol.path}`,
    requests,
    behaviour,
    script: (...responses) => void scripted.push(...responses),
    countScripted: () => scripted.length,
    async takeRequest() {
      const index = taken++;
      for (;;) {
        const request = requests[index];
        if (request !== undefined) return request;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    stop,
  };
  return upstream;
}

/** Marks response bodies as private: the gateway must not log them. */
function markResponsePrivate(response: ServerResponse): void {
  for (const name of ['write', 'end'] as const) {
    const send = response[name].bind(response) as (...args: unknown[]) => never;
    response[name] = (...args: unknown[]) => {
      recordContent(args[0]);
      return send(...args);
    };
  }
}

async function receive(incoming: IncomingMessage, response: ServerResponse, number: number) {
  let closedByUpstream = false;
  const disconnect = (how: 'close' | 'reset') => {
    closedByUpstream = true;
    if (how === 'reset') response.socket?.resetAndDestroy();
    else response.socket?.destroySoon();
  };
  const ended = new Promise<Awaited<RecordedRequest['ended']>>((resolve) => {
    response.once('close', () => {
      if (response.writableFinished) resolve('completed');
      else resolve(closedByUpstream ? 'closed_by_upstream' : 'closed_by_client');
    });
  });
  const request: RecordedRequest = {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    rawHeaders: incoming.rawHeaders,
    headers: incoming.headers,
    body: await buffer(incoming),
    requestId: `req_${String(number).padStart(32, '0')}`,
    ended,
  };
  return { request, disconnect };
}
