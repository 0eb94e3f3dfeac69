import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createJsonService, createPost, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import {
  awsAccessAt,
  type Responder,
  resetConnection,
  respondWith,
  type ScriptedService,
  sendRaw,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';

/** Delays between attempts are recorded and take one turn of the event loop. */
const delaysMs = vi.hoisted((): number[] => []);
vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => {
    delaysMs.push(ms);
    await new Promise(setImmediate);
  },
}));

const ok = respondWith(200, '{"ok":true}');

let service: ScriptedService;
beforeEach(() => {
  delaysMs.length = 0;
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service?.stop();
});

async function start(...responders: [Responder, ...Responder[]]): Promise<JsonService> {
  service = await startScriptedService(...responders);
  const access = awsAccessAt(service.endpoint);
  return createJsonService({ service: 'dynamodb', access, now: () => new Date() });
}

it('opens at most 50 connections to a service for more concurrent calls', async () => {
  const client = await start(ok);

  await Promise.all(Array.from({ length: 60 }, () => client.call('GetItem', {})));

  expect([service.sockets.length, service.requests.length]).toEqual([50, 60]);
});

describe('Keep-alive connections', () => {
  it('retries on a new connection without delay when a reused one was closed before the request', async () => {
    const client = await start(ok);
    await client.call('GetItem', {});
    // In the same turn of the event loop, so the client does not know yet when it writes the request.
    service.sockets[0]?.resetAndDestroy();

    expect(await client.call('GetItem', {})).toEqual({ ok: true });
    expect([service.sockets.length, service.requests.length, delaysMs]).toEqual([2, 2, [0]]);
  });

  it('retries without delay when a reused connection is reset during a call, and with a delay when a new one is', async () => {
    const client = await start(ok, resetConnection, resetConnection, ok);
    await client.call('GetItem', {});

    expect(await client.call('GetItem', {})).toEqual({ ok: true });
    expect([service.sockets.length, service.requests.length, delaysMs]).toEqual([3, 4, [0, 100]]);
  });

  it('keeps the connection after an error response', async () => {
    const client = await start(respondWith(400, '{"__type":"x#ValidationException"}'), ok);
    await client.call('GetItem', {}).catch(() => {});
    await client.call('GetItem', {});

    expect(service.sockets).toHaveLength(1);
  });

  it('reuses one connection per concurrent call', async () => {
    const client = await start(ok);
    await Promise.all([client.call('GetItem', {}), client.call('GetItem', {})]);
    await Promise.all([client.call('GetItem', {}), client.call('GetItem', {})]);

    expect([service.sockets.length, service.requests.length]).toEqual([2, 4]);
  });
});

describe('createPost', () => {
  it.each([
    ['no response', () => {}],
    [
      'a truncated response',
      ((response) => response.writeHead(200, { 'content-length': 9 }).write('{')) as Responder,
    ],
  ])('closes the connection and rejects with TimeoutError after %s', async (_, responder) => {
    service = await startScriptedService(responder);
    const call = createPost(new URL(service.endpoint))({}, '{}', 50);

    await expect(call).rejects.toMatchObject({ name: 'TimeoutError', $metadata: {}, isStale: false });
    const [socket] = service.sockets;
    if (socket?.destroyed === false) await once(socket, 'close');
    expect(service.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('ignores bytes after the end of a response', async () => {
    const client = await start(
      sendRaw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n'),
      ok,
    );

    expect(await client.call('GetItem', {})).toEqual({});
    expect(await client.call('GetItem', {})).toEqual({ ok: true });
  });
});

describe('TLS', () => {
  const certificate = (kind: string) =>
    readFileSync(path.resolve(import.meta.dirname, `../../../support/tls/self-signed.${kind}.pem`), 'utf8');

  it('sends the server name, and no request before the certificate is verified', async () => {
    const names: string[] = [];
    const server = createServer({
      key: certificate('key'),
      cert: certificate('cert'),
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    const requests: unknown[] = [];
    server.on('request', (request) => requests.push(request));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const post = createPost(new URL(`https://localhost:${port}`));
    const call = post({ host: `localhost:${port}` }, '{}', 1500);

    await expect(call).rejects.toMatchObject({ name: 'DEPTH_ZERO_SELF_SIGNED_CERT', $metadata: {} });
    expect([names, requests]).toEqual([['localhost'], []]);
    await once(server.close(), 'close');
  });
});
