/** A proxy in front of an AWS service that injects faults into its requests. */
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
import type { Random } from '#test/support/seeded-random.ts';

/** Operations that write log entries: that of chat, and that of whoever restores them. */
export const entryWrites = ['PutItem', 'TransactWriteItems'];

/** Limits a fault to some operations, or to a share of the requests from 0 to 1. Defaults to all. */
interface FaultScope {
  operations?: readonly string[];
  share?: number;
}

export type Fault =
  | { kind: 'refused' }
  /** The connection closes after the request has arrived, and the request is not forwarded. */
  | (FaultScope & { kind: 'reset' })
  | (FaultScope & { kind: 'slow'; upToMs: number })
  /** The request is not forwarded, and there is no response. */
  | (FaultScope & { kind: 'stalled' })
  | (FaultScope & { kind: 'throttled' })
  /** The request is forwarded, and the connection closes instead of a response. */
  | (FaultScope & { kind: 'response_lost' });

export interface FaultProxy {
  readonly endpoint: string;
  /** Excludes refused connections. */
  callCount(operation: string): number;
  faultCount(operation: string): number;
  setFault(fault: Fault | null): Promise<void>;
  stop(): Promise<void>;
}

/** No other server listens on this address, so the port stays free while the proxy refuses connections. */
const host = '127.0.77.1';

/** `target` is called for each request: the service may restart on another port. */
export async function startFaultProxy(target: () => string, random: Random): Promise<FaultProxy> {
  let fault: Fault | null = null;
  const callCounts = new Map<string, number>();
  const faultCounts = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    const operation = readOperation(request);
    const injected = fault !== null && appliesTo(fault, operation, random) ? fault : null;
    countOne(callCounts, operation);
    if (injected !== null) countOne(faultCounts, operation);
    // The service may be unavailable. A request is forwarded even when its client has disconnected.
    buffer(request)
      .then((body) =>
        respond({
          response,
          fault: injected,
          random,
          forward: () => forwardRequest({ request, body, target: target(), agent }),
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
    callCount: (operation) => callCounts.get(operation) ?? 0,
    faultCount: (operation) => faultCounts.get(operation) ?? 0,
    async setFault(next) {
      const [wasClosed, isClosed] = [fault?.kind === 'refused', next?.kind === 'refused'];
      fault = next;
      if (isClosed && !wasClosed) await close();
      if (wasClosed && !isClosed) await listen(port);
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

/** `x-amz-target` is, for example, `DynamoDB_20120810.PutItem`. */
function readOperation({ headers }: IncomingMessage): string {
  return String(headers['x-amz-target']).split('.').at(-1) ?? '';
}

function appliesTo(fault: Fault, operation: string, random: Random): boolean {
  if (fault.kind === 'refused') return true;
  const { operations, share = 1 } = fault;
  return (operations?.includes(operation) ?? true) && random() < share;
}

interface InterceptedRequest {
  response: ServerResponse;
  fault: Fault | null;
  random: Random;
  forward(): Promise<ServiceResponse>;
}

async function respond({ response, fault, random, forward }: InterceptedRequest): Promise<void> {
  switch (fault?.kind) {
    case undefined:
      return send(response, await forward());
    case 'slow':
      await delay(random() * fault.upToMs);
      return send(response, await forward());
    case 'stalled':
      return;
    case 'throttled':
      return send(response, throttlingResponse);
    case 'response_lost':
      await forward();
      response.destroy();
      return;
    case 'reset':
    case 'refused':
      response.destroy();
      return;
    default:
      fault satisfies never;
  }
}

interface ServiceResponse {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

const throttlingResponse: ServiceResponse = {
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(
    JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      message: 'The level of configured provisioned throughput for the table was exceeded.',
    }),
  ),
};

function send(response: ServerResponse, { status, headers, body }: ServiceResponse): void {
  response.writeHead(status, headers).end(body);
}

interface ForwardOptions {
  request: IncomingMessage;
  body: Buffer;
  target: string;
  agent: Agent;
}

async function forwardRequest({ request, body, target, agent }: ForwardOptions): Promise<ServiceResponse> {
  const headers = { ...withoutConnectionHeaders(request.headers), 'content-length': body.length };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(new URL(request.url ?? '/', target), { method: request.method, agent, headers }, resolve)
      .once('error', reject)
      .end(body);
  });
  return {
    status: response.statusCode ?? 500,
    headers: withoutConnectionHeaders(response.headers),
    body: await buffer(response),
  };
}

/** Hop-by-hop headers and `host`. */
const connectionHeaders = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding']);

function withoutConnectionHeaders(headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string | string[]> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.has(name)));
}
