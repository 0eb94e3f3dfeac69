/** Callers who hang up, in front of a function in this process. */
import { once } from 'node:events';
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostedFunction, InvocationRequest } from '#local/functions/host.ts';
import { preludeContentType, preludeDelimiter } from '#local/functions/lambda-runtime.mjs';
import type { InvocationOutcome } from '#local/functions/worker.ts';
import { createFunctionUrlServer } from '#local/http/function-url-server.ts';
import { createRestServer } from '#local/http/rest-server.ts';
import { openHttpListener } from '#local/listeners/http-listener.ts';

const functionArn = 'arn:function';

interface Settings {
  target: HostedFunction;
  reportDisconnects: boolean;
  onError: (message: string) => void;
}

function restApi({ target, ...settings }: Settings, streaming = true) {
  const integration = {
    kind: 'function',
    functionArn,
    qualifier: 'live',
    streaming,
    timeoutMs: 60_000,
  } as const;
  return createRestServer({
    ...settings,
    api: { apiId: 'api', stage: 'prod', region: 'us-east-1' },
    routes: [{ resourcePath: '/', resourceId: 'root', integrations: new Map([['GET', integration]]) }],
    throttles: { admit: () => true },
    minCompressedBytes: Number.POSITIVE_INFINITY,
    gatewayResponse: () => ({ status: 503, headers: {}, body: '' }),
    functionsByArn: new Map([[functionArn, target]]),
  });
}

const functionUrl = (settings: Settings) =>
  createFunctionUrlServer({ ...settings, qualifier: 'live', streaming: true });

const servers = [
  ['the REST API', restApi],
  ['the function URL', functionUrl],
] as const;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Starts a server whose function is the test. */
async function setUp(
  createServer: (settings: Settings) => ReturnType<typeof functionUrl>,
  reportDisconnects = false,
) {
  const invocations: { signal: AbortSignal | undefined; respond: (outcome: InvocationOutcome) => void }[] =
    [];
  const responses: ServerResponse[] = [];
  const errors: string[] = [];
  const invoke = ({ signal }: InvocationRequest) =>
    new Promise<InvocationOutcome>((respond) => void invocations.push({ signal, respond }));
  const target = { definition: { name: 'Function', logicalId: 'Function' }, invoke } as HostedFunction;
  const server = createServer({ target, reportDisconnects, onError: (message) => errors.push(message) });
  const listener = await openHttpListener(0);
  stops.push(listener.close);
  listener.serve((request, response) => {
    responses.push(response);
    server(request, response);
  });
  /** Resolves when the function is invoked. */
  const call = async () => {
    const number = invocations.length;
    const request = httpRequest(listener.origin).on('error', () => {});
    const response = new Promise<IncomingMessage>((resolve) => void request.once('response', resolve));
    request.end();
    await expect.poll(() => invocations.length).toBe(number + 1);
    const [invocation, served] = [invocations[number], responses[number]];
    if (invocation === undefined || served === undefined) throw new Error('There was no invocation');
    return { ...invocation, request, response, served };
  };
  return { call, errors };
}

function streamedBody(): { body: PassThrough; outcome: InvocationOutcome } {
  const body = new PassThrough();
  body.write(Buffer.concat([Buffer.from('{"statusCode":200}'), preludeDelimiter, Buffer.from('one')]));
  return { body, outcome: { kind: 'streaming', contentType: preludeContentType, body } };
}

/** Resolves when the server has noticed it. */
async function hangUp({
  request,
  served,
}: {
  request: ClientRequest;
  served: ServerResponse;
}): Promise<void> {
  request.destroy();
  if (!served.closed) await once(served, 'close');
}

async function writeMegabytes(body: PassThrough, count: number): Promise<void> {
  for (let megabyte = 0; megabyte < count; megabyte += 1) {
    if (!body.write(Buffer.alloc(1024 ** 2))) await once(body, 'drain');
  }
  body.end();
  await finished(body);
}

describe.each(servers)('A function behind %s whose caller hangs up', (_, createServer) => {
  it('writes its response to the end, and is not told', async () => {
    const { call, errors } = await setUp(createServer);
    const caller = await call();
    const { body, outcome } = streamedBody();
    caller.respond(outcome);
    const response = await caller.response;
    await once(response, 'data');
    await hangUp(caller);
    await writeMegabytes(body, 4);

    expect(caller.signal?.aborted).toBe(false);
    expect(errors).toEqual([]);
  });

  it('writes its response to the end after a hang-up before status and headers', async () => {
    const { call, errors } = await setUp(createServer);
    const caller = await call();
    await hangUp(caller);
    const { body, outcome } = streamedBody();
    caller.respond(outcome);
    await writeMegabytes(body, 4);

    expect(caller.signal?.aborted).toBe(false);
    expect(errors).toEqual([]);
  });

  it('waits for a caller who does not read, and no longer after the hang-up', async () => {
    const { call } = await setUp(createServer);
    const caller = await call();
    const { body, outcome } = streamedBody();
    caller.respond(outcome);
    const response = await caller.response;
    response.pause();
    const written = writeMegabytes(body, 64);
    await expect.poll(() => caller.served.writableNeedDrain && body.writableNeedDrain).toBe(true);
    await hangUp(caller);

    await written;
  });

  it('may fail before its response or during it', async () => {
    const { call } = await setUp(createServer);
    const [early, late] = [await call(), await call()];
    const { body, outcome } = streamedBody();
    await hangUp(early);
    early.respond({ kind: 'failed', error: { errorType: 'Error', errorMessage: 'failed' } });
    late.respond(outcome);
    await once(await late.response, 'data');
    await hangUp(late);
    body.destroy(new Error('failed'));
    const next = await call();
    const nextBody = streamedBody();
    next.respond(nextBody.outcome);
    nextBody.body.end();
    const response = await next.response;

    expect(response.statusCode).toBe(200);
    expect((await response.toArray()).join('')).toBe('one');
  });

  it('is told if the local run reports it', async () => {
    const { call } = await setUp(createServer, true);
    const [early, late] = [await call(), await call()];
    await hangUp(early);
    const { body, outcome } = streamedBody();
    late.respond(outcome);
    await once(await late.response, 'data');
    await hangUp(late);
    await expect.poll(() => body.destroyed).toBe(true);

    expect([early.signal?.aborted, late.signal?.aborted]).toEqual([true, true]);
  });
});

describe('A function with a buffered integration whose caller hangs up', () => {
  it.each([
    ['runs to its end, and is not told', false],
    ['is told if the local run reports it', true],
  ])('%s', async (_, reportDisconnects) => {
    const { call, errors } = await setUp((settings) => restApi(settings, false), reportDisconnects);
    const caller = await call();
    await hangUp(caller);
    caller.respond({ kind: 'returned', payload: '{"statusCode":200,"body":"late"}' });
    const next = await call();
    next.respond({ kind: 'returned', payload: '{"statusCode":200,"body":"next"}' });

    expect((await (await next.response).toArray()).join('')).toBe('next');
    expect(caller.signal?.aborted).toBe(reportDisconnects);
    expect(errors).toEqual([]);
  });
});
