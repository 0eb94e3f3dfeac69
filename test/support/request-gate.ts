/** Stands before an AWS service on loopback, and lets calls of one kind through when the test says so. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.ts';

export interface RequestGate {
  endpoint: string;
  /** Resolves when so many calls more have come and gone through. */
  letThrough(calls: number): Promise<void>;
  /** From now on nothing waits. */
  open(): void;
  stop(): Promise<void>;
}

/** `target` is the value of `X-Amz-Target`; all other calls go through at once. */
export async function startRequestGate(serviceEndpoint: string, target: string): Promise<RequestGate> {
  const waiting: (() => void)[] = [];
  const askers: ((pass: () => void) => void)[] = [];
  let isOpen = false;
  const come = (pass: () => void) => {
    const asker = askers.shift();
    if (asker !== undefined) asker(pass);
    else if (isOpen) pass();
    else waiting.push(pass);
  };
  const next = () => {
    const pass = waiting.shift();
    return pass === undefined
      ? new Promise<() => void>((resolve) => askers.push(resolve))
      : Promise.resolve(pass);
  };

  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.headers['x-amz-target'] === target) await new Promise<void>(come);
    const headers = new Headers(request.headers as Record<string, string>);
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding']) headers.delete(name);
    const answer = await fetch(serviceEndpoint, {
      method: request.method ?? 'GET',
      headers,
      ...(request.method === 'POST' && { body }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const { address, stop } = await listen(server);
  return {
    endpoint: `http://${address}`,
    async letThrough(calls) {
      for (let call = 0; call < calls; call += 1) (await next())();
    },
    open() {
      isOpen = true;
      for (const pass of waiting.splice(0)) pass();
    },
    stop,
  };
}
