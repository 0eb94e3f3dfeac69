/** What becomes of a request whose connection breaks, on real sockets. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createHttpTransport,
  type HttpTransport,
  readAll,
} from '#lambdas/inference/providers/http/client.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import { ConnectError, toConnectionError } from '#lambdas/inference/providers/http/failures.ts';

const minute = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 };

let server: Server;
let sockets: Socket[];
let bodies: string[];

beforeEach(async () => {
  sockets = [];
  bodies = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    if (body === 'reset late') vi.advanceTimersByTime(500);
    if (body.startsWith('reset')) request.socket.resetAndDestroy();
    else response.end(`${body}!`);
  });
  server.on('connection', (socket) => sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

async function send(transport: HttpTransport, body: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const watch = createDeadlineWatch(minute);
  try {
    const url = new URL(`http://127.0.0.1:${port}/`);
    const response = await transport({ url, headers: {}, body }, watch);
    return String(await readAll(response, 1000));
  } finally {
    watch.stop();
  }
}

describe('A kept connection', () => {
  it('that was closed before the request was written costs nothing: the provider has not seen it', async () => {
    const transport = createHttpTransport();
    expect(await send(transport, 'one')).toBe('one!');
    expect(await send(transport, 'two')).toBe('two!');
    expect(sockets).toHaveLength(1);

    // In the same turn of the loop, so that nobody has heard of the reset when the request is written.
    sockets[0]?.resetAndDestroy();
    expect(await send(transport, 'three')).toBe('three!');

    expect(bodies).toEqual(['one', 'two', 'three']);
    expect(sockets).toHaveLength(2);
  });

  it('that breaks when the provider may have read the request is no matter of the transport', async () => {
    const transport = createHttpTransport();
    await send(transport, 'one');
    const failure = await send(transport, 'reset').catch((error) => error);
    expect(failure).toBeInstanceOf(ConnectError);
    expect(failure).toMatchObject({ code: 'provider_unavailable', status: 502, waitMs: 0 });
    expect(bodies).toEqual(['one', 'reset']);
  });

  it('is not used again when another one broke', async () => {
    const transport = createHttpTransport();
    await Promise.all([send(transport, 'one'), send(transport, 'two')]);
    expect(sockets).toHaveLength(2);
    await send(transport, 'reset').catch(() => {});
    await send(transport, 'three');
    expect(sockets).toHaveLength(3);
  });
});

describe('A new connection', () => {
  it('that is reset at once is one on which nothing has begun', async () => {
    const failure = await send(createHttpTransport(), 'reset').catch((error) => error);
    expect(failure).toBeInstanceOf(ConnectError);
    expect(failure.waitMs).toBe(100);
  });
});

describe.each(['A new', 'A kept'])('%s connection', (which) => {
  it('that is reset after the first round trip may be of a provider at work', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const transport = createHttpTransport();
    if (which === 'A kept') await send(transport, 'one');
    const failure = await send(transport, 'reset late').catch((error) => error);
    vi.useRealTimers();
    expect(failure).toMatchObject({ code: 'provider_unavailable', status: 502 });
    expect(failure).not.toBeInstanceOf(ConnectError);
  });
});

describe('The failure of a connection', () => {
  const at = (code: string, syscall = 'read') => Object.assign(new Error('x'), { code, syscall });
  const never = { isReused: false, isWithinRoundTrip: false };

  it.each(['ECONNREFUSED', 'EAI_AGAIN'])('%s lets the request be sent again, whenever it comes', (code) => {
    expect(toConnectionError(at(code), never)).toBeInstanceOf(ConnectError);
  });

  it('of a new one is none of a kept one, even if it could not be written', () => {
    const failure = toConnectionError(at('EPIPE', 'write'), { isReused: false, isWithinRoundTrip: true });
    expect(failure).toMatchObject({ code: 'provider_unavailable', waitMs: 100 });
  });

  it.each(['ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ECONNRESET', 'EPIPE'])(
    '%s does not, outside of the first round trip at least',
    (code) => {
      const error = at(code);
      expect(toConnectionError(error, never)).toBe(error);
    },
  );
});
