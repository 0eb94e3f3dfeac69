/** Stands before a service of AWS and does to its calls what a bad day would. */
import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.ts';

/** Which calls meet the fault: of these operations, and of those this share. All of them where it is left out. */
interface Aim {
  operations?: readonly string[];
  share?: number;
}

export type Fault =
  /** Nobody listens. */
  | { kind: 'refused' }
  /** The connection breaks when the call has come; nothing was done. */
  | (Aim & { kind: 'reset' })
  /** ReceivedResponse after a time between none and this. */
  | (Aim & { kind: 'slow'; upToMs: number })
  | (Aim & { kind: 'throttled' })
  /** It is done, and nobody is told. */
  | (Aim & { kind: 'swallowed' });

export interface FaultProxy {
  readonly endpoint: string;
  /** How many calls of an operation came so far; of those that were refused nobody knows. */
  calls(operation: string): number;
  /** How many of them met a fault. */
  faults(operation: string): number;
  /** From now on; `null` for none. */
  set(fault: Fault | null): Promise<void>;
  stop(): Promise<void>;
}

/** An address of its own, so that nobody takes the port while the proxy refuses. */
const host = '127.0.77.1';

/** `target` is asked for each call: what stands behind may move. */
export async function startFaultProxy(target: () => string, random: Random): Promise<FaultProxy> {
  let fault: Fault | null = null;
  const calls = new Map<string, number>();
  const faults = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  const server = createServer((call, response) => {
    const operation = operationOf(call);
    const met = fault !== null && isAimedAt(fault, operation, random) ? fault : null;
    countOne(calls, operation);
    if (met !== null) countOne(faults, operation);
    // What stands behind may be away, and the caller may have given up: what it sent is done all the same.
    buffer(call)
      .then((body) =>
        answer({
          response,
          met,
          random,
          forward: () => forwardCall({ call, body, target: target(), agent }),
        }),
      )
      .catch(() => response.destroy());
  });
  const listen = async (port: number) => {
    server.listen(port, host);
    await once(server, 'listening');
  };
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://${host}:${port}`,
    calls: (operation) => calls.get(operation) ?? 0,
    faults: (operation) => faults.get(operation) ?? 0,
    async set(next) {
      const [was, is] = [fault?.kind === 'refused', next?.kind === 'refused'];
      fault = next;
      if (is && !was) await close();
      if (was && !is) await listen(port);
    },
    async stop() {
      if (server.listening) await close();
      agent.destroy();
    },
  };
}

function countOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** The `x-amz-target` is such as `DynamoDB_20120810.PutItem`. */
function operationOf({ headers }: IncomingMessage): string {
  return String(headers['x-amz-target']).split('.').at(-1) ?? '';
}

function isAimedAt(fault: Fault, operation: string, random: Random): boolean {
  if (fault.kind === 'refused') return true;
  const { operations, share = 1 } = fault;
  return (operations?.includes(operation) ?? true) && random() < share;
}

interface MetCall {
  response: ServerResponse;
  met: Fault | null;
  random: Random;
  forward(): Promise<Answer>;
}

async function answer({ response, met, random, forward }: MetCall): Promise<void> {
  switch (met?.kind) {
    case undefined:
      return send(response, await forward());
    case 'slow':
      await delay(random() * met.upToMs);
      return send(response, await forward());
    case 'throttled':
      return send(response, throttling);
    case 'swallowed':
      await forward();
      response.destroy();
      return;
    case 'reset':
    case 'refused':
      response.destroy();
      return;
    default:
      met satisfies never;
  }
}

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

const throttling: Answer = {
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(
    JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      message: 'The level of configured provisioned throughput for the table was exceeded.',
    }),
  ),
};

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

interface Forwarded {
  call: IncomingMessage;
  body: Buffer;
  target: string;
  agent: Agent;
}

async function forwardCall({ call, body, target, agent }: Forwarded): Promise<Answer> {
  const headers = { ...withoutConnectionHeaders(call.headers), 'content-length': body.length };
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(new URL(call.url ?? '/', target), { method: call.method, agent, headers }, resolve)
      .once('error', reject)
      .end(body);
  });
  return {
    status: answered.statusCode ?? 500,
    headers: withoutConnectionHeaders(answered.headers),
    body: await buffer(answered),
  };
}

/** Those that belong to one of the two connections. */
const connectionHeaders = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding']);

function withoutConnectionHeaders(headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string | string[]> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.has(name)));
}
