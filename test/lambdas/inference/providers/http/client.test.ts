import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createHttpTransport,
  type HttpTransport,
  readAll,
} from '#lambdas/inference/providers/http/client.ts';
import {
  ConnectError,
  toConnectionError,
  UnansweredError,
} from '#lambdas/inference/providers/http/connection-errors.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';

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

describe('createHttpTransport', () => {
  it('resends the request when a reused connection was closed before the request was written', async () => {
    const transport = createHttpTransport();
    expect(await send(transport, 'one')).toBe('one!');
    expect(await send(transport, 'two')).toBe('two!');
    expect(sockets).toHaveLength(1);

    // In the same turn of the event loop, so that the client writes the request before it sees the reset.
    sockets[0]?.resetAndDestroy();
    expect(await send(transport, 'three')).toBe('three!');

    expect(bodies).toEqual(['one', 'two', 'three']);
    expect(sockets).toHaveLength(2);
  });

  it('throws ConnectError without resending when a reused connection breaks after the request was written', async () => {
    const transport = createHttpTransport();
    await send(transport, 'one');
    const failure = await send(transport, 'reset').catch((error) => error);
    expect(failure).toBeInstanceOf(ConnectError);
    expect(failure).toMatchObject({ code: 'provider_unavailable', status: 502, retryDelayMs: 0 });
    expect(bodies).toEqual(['one', 'reset']);
  });

  it('opens a new connection after another connection of the pool broke', async () => {
    const transport = createHttpTransport();
    await Promise.all([send(transport, 'one'), send(transport, 'two')]);
    expect(sockets).toHaveLength(2);
    await send(transport, 'reset').catch(() => {});
    await send(transport, 'three');
    expect(sockets).toHaveLength(3);
  });

  it('tells a request that was sent in vain from one whose connection was never established', async () => {
    let leave = new AbortController();
    // The handshake of TLS never ends.
    const silent = createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => setImmediate(() => leave.abort()));
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const sendTo = (scheme: string) => {
      leave = new AbortController();
      const watch = createDeadlineWatch(minute);
      watch.finishWithin({ milliseconds: 60_000, bytes: 1000, signal: leave.signal });
      const url = new URL(`${scheme}://127.0.0.1:${port}/`);
      const sending = createHttpTransport()({ url, headers: {}, body: 'one' }, watch);
      return sending.catch((error) => error).finally(watch.stop);
    };

    const [unsent, unanswered] = [await sendTo('https'), await sendTo('http')];

    expect(unanswered).toBeInstanceOf(UnansweredError);
    expect(unsent).not.toBeInstanceOf(UnansweredError);
    for (const failure of [unsent, unanswered]) {
      expect(failure).toMatchObject({ code: 'provider_timeout', status: 504 });
    }
    await once(silent.close(), 'close');
  });

  it('throws ConnectError with a wait of 100 ms when a new connection is reset immediately', async () => {
    const failure = await send(createHttpTransport(), 'reset').catch((error) => error);
    expect(failure).toBeInstanceOf(ConnectError);
    expect(failure.retryDelayMs).toBe(100);
  });

  it.each(['new', 'reused'])(
    'throws no ConnectError when a %s connection is reset after the first round trip, because the provider may have started',
    async (connection) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const transport = createHttpTransport();
      if (connection === 'reused') await send(transport, 'one');
      const failure = await send(transport, 'reset late').catch((error) => error);
      vi.useRealTimers();
      expect(failure).toMatchObject({ code: 'provider_unavailable', status: 502 });
      expect(failure).not.toBeInstanceOf(ConnectError);
    },
  );
});

describe('toConnectionError', () => {
  const systemError = (code: string, syscall = 'read') => Object.assign(new Error('x'), { code, syscall });
  const laterOnNewConnection = { isReused: false, isWithinRoundTrip: false };

  it.each(['ECONNREFUSED', 'EAI_AGAIN'])('returns ConnectError for %s at any time', (code) => {
    expect(toConnectionError(systemError(code), laterOnNewConnection)).toBeInstanceOf(ConnectError);
  });

  it('returns ConnectError with a wait of 100 ms when writing to a new connection fails', () => {
    const failure = toConnectionError(systemError('EPIPE', 'write'), {
      isReused: false,
      isWithinRoundTrip: true,
    });
    expect(failure).toMatchObject({ code: 'provider_unavailable', retryDelayMs: 100 });
  });

  it.each(['ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ECONNRESET', 'EPIPE'])(
    'returns the %s error itself after the first round trip',
    (code) => {
      const error = systemError(code);
      expect(toConnectionError(error, laterOnNewConnection)).toBe(error);
    },
  );
});
