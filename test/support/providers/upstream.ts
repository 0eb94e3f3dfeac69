/** A provider on loopback, whatever its protocol: records what it gets, and misbehaves on demand. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { notePrivate } from '../canary/written.ts';
import { listen } from '../listen.ts';
import type { RecordedRequest, Respond } from './upstream-responses.ts';

/** How a provider answers a request that has no script. */
export interface UpstreamProtocol<Behaviour> {
  /** Of the base URL, such as `/v1`; empty for none. */
  path: string;
  respond(request: RecordedRequest, behaviour: Behaviour): Respond;
}

export interface Upstream<Behaviour> {
  /** Such as `http://127.0.0.1:41234/v1`. */
  baseUrl: string;
  /** Every request so far, oldest first. */
  requests: RecordedRequest[];
  /** What requests without a script meet; may be changed between requests. */
  behaviour: Behaviour;
  /** The next request gets the first of these answers, the one after it the second, and so on. */
  script(...answers: Respond[]): void;
  /** Resolves to the first request that was not taken yet, when it is there. */
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
      noteWhatIsSent(response);
      const { request, cut } = await receive(incoming, response, ++received);
      notePrivate(request.body);
      requests.push(request);
      for (const wake of waiting.splice(0)) wake();
      const answer = scripted.shift() ?? protocol.respond(request, upstream.behaviour);
      await answer({ request, response, cut });
    } catch (error) {
      response.destroy(error instanceof Error ? error : undefined);
    }
  });
  const { address, stop } = await listen(server);
  const upstream: Upstream<Behaviour> = {
    baseUrl: `http://${address}${protocol.path}`,
    requests,
    behaviour,
    script: (...answers) => void scripted.push(...answers),
    async takeRequest() {
      const place = taken++;
      for (;;) {
        const request = requests[place];
        if (request !== undefined) return request;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    stop,
  };
  return upstream;
}

/** What a provider says is nothing that the gateway should write down. */
function noteWhatIsSent(response: ServerResponse): void {
  for (const name of ['write', 'end'] as const) {
    const send = response[name].bind(response) as (...given: unknown[]) => never;
    response[name] = (...given: unknown[]) => {
      notePrivate(given[0]);
      return send(...given);
    };
  }
}

async function receive(incoming: IncomingMessage, response: ServerResponse, number: number) {
  let cutByUpstream = false;
  const cut = (how: 'close' | 'reset') => {
    cutByUpstream = true;
    if (how === 'reset') response.socket?.resetAndDestroy();
    else response.socket?.destroySoon();
  };
  const ended = new Promise<Awaited<RecordedRequest['ended']>>((resolve) => {
    response.once('close', () => {
      if (response.writableFinished) resolve('answered');
      else resolve(cutByUpstream ? 'cut_by_upstream' : 'closed_by_client');
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
  return { request, cut };
}
