/** A proxy in front of an AWS service on loopback that holds requests of one kind until the test admits them. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.ts';

export interface RequestGate {
  endpoint: string;
  /** Admits the next `count` requests. Resolves when all of them have arrived. */
  admit(count: number): Promise<void>;
  open(): void;
  stop(): Promise<void>;
}

/** Holds only requests with this value of `X-Amz-Target`; all others pass immediately. */
export async function startRequestGate(serviceEndpoint: string, target: string): Promise<RequestGate> {
  const waiting: (() => void)[] = [];
  const admissions: ((admit: () => void) => void)[] = [];
  let isOpen = false;
  const arrive = (admit: () => void) => {
    const admission = admissions.shift();
    if (admission !== undefined) admission(admit);
    else if (isOpen) admit();
    else waiting.push(admit);
  };
  const next = () => {
    const admit = waiting.shift();
    return admit === undefined
      ? new Promise<() => void>((resolve) => admissions.push(resolve))
      : Promise.resolve(admit);
  };

  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.headers['x-amz-target'] === target) await new Promise<void>(arrive);
    const headers = new Headers(request.headers as Record<string, string>);
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) headers.delete(name);
    const upstreamResponse = await fetch(serviceEndpoint, {
      method: request.method ?? 'GET',
      headers,
      ...(request.method === 'POST' && { body }),
    });
    response.writeHead(upstreamResponse.status, Object.fromEntries(upstreamResponse.headers));
    response.end(Buffer.from(await upstreamResponse.arrayBuffer()));
  });
  const { address, stop } = await listen(server);
  return {
    endpoint: `http://${address}`,
    async admit(count) {
      for (let admitted = 0; admitted < count; admitted += 1) (await next())();
    },
    open() {
      isOpen = true;
      for (const admit of waiting.splice(0)) admit();
    },
    stop,
  };
}
