import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ApiError,
  get,
  getForResponse,
  isNotFound,
  isSessionEnded,
  patch,
  post,
  postForResponse,
  put,
  remove,
  removeIfPresent,
} from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/organizations.ts';
import { readServerClock, serverTimeMs } from '#dashboard/api/server-clock.ts';

const renewalDue = [401, 'session_renewal_due'] as const;
const ended = [401, 'invalid_session'] as const;

type Reply = { body: unknown } | readonly [status: number, code: string];

/** Replies to each call of a path with the next of its replies, and repeats the last. Returns the calls so far. */
function serve(replies: Record<string, Reply[]>): string[] {
  const calls: string[] = [];
  vi.stubGlobal('fetch', async (url: string, { method }: { method: string }) => {
    const call = `${method} ${url.replace('/dashboard/api', '')}`;
    calls.push(call);
    const queue = replies[call] ?? [];
    const reply = queue.length > 1 ? queue.shift() : queue[0];
    if (reply === undefined) throw new Error(`No reply to ${call}`);
    if ('body' in reply) return Response.json(reply.body);
    const [status, code] = reply;
    return Response.json(
      { error: { message: code, type: 'authentication_error', param: null, code } },
      { status },
    );
  });
  return calls;
}

afterEach(() => vi.unstubAllGlobals());

const { signal } = new AbortController();

describe('A call whose session is due for renewal', () => {
  it('renews the session once for all calls in flight, and repeats each', async () => {
    const calls = serve({
      'GET /session': [{ body: {} }],
      'GET /organizations': [renewalDue, { body: 'list' }],
      'GET /organizations/org_1': [renewalDue, { body: 'details' }],
      'POST /organizations': [renewalDue, { body: 'created' }],
    });

    const responses = await Promise.all([
      get('/organizations', signal),
      get(organizationPath('org_1'), signal),
      post('/organizations', { name: 'Acme' }),
    ]);

    expect(responses).toEqual(['list', 'details', 'created']);
    expect(calls.filter((call) => call === 'GET /session')).toHaveLength(1);
    expect(calls).toHaveLength(7);
  });

  it('renews it again at the next time', async () => {
    const calls = serve({
      'GET /session': [{ body: {} }],
      'GET /organizations': [renewalDue, { body: 1 }, renewalDue, { body: 2 }],
    });

    expect(await get('/organizations', signal)).toBe(1);
    expect(await get('/organizations', signal)).toBe(2);
    expect(calls.filter((call) => call === 'GET /session')).toHaveLength(2);
  });

  it('is repeated only once', async () => {
    const calls = serve({ 'GET /session': [{ body: {} }], 'GET /organizations': [renewalDue] });

    const error = await get('/organizations', signal).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ status: 401, code: 'session_renewal_due' });
    expect(calls).toEqual(['GET /organizations', 'GET /session', 'GET /organizations']);
  });

  it('fails like the renewal', async () => {
    const calls = serve({ 'GET /session': [ended], 'GET /organizations': [renewalDue] });

    await expect(get('/organizations', signal)).rejects.toMatchObject({ code: 'invalid_session' });
    expect(calls).toEqual(['GET /organizations', 'GET /session']);
  });
});

it.each([
  ['invalid_session', true],
  ['session_renewal_due', true],
  // The gateway's own, which a test request passes on.
  ['invalid_api_key', false],
])('a 401 with the code %s ends the session: %s', (code, expected) => {
  expect(isSessionEnded(new ApiError('Refused', 401, null, code))).toBe(expected);
});

describe('A removal of what is gone already', () => {
  it('counts as done, unlike other failures', async () => {
    serve({
      'DELETE /organizations/org_1': [
        [404, 'not_found'],
        [409, 'conflict'],
      ],
    });

    await expect(removeIfPresent(organizationPath('org_1'))).resolves.toBeUndefined();
    await expect(removeIfPresent(organizationPath('org_1'))).rejects.toMatchObject({ status: 409 });
  });
});

describe('A call', () => {
  /** Responds to every call, and returns them. */
  function respondWith(response: () => Response): { url: string; init: RequestInit }[] {
    const calls: { url: string; init: RequestInit }[] = [];
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      calls.push({ url, init });
      return response();
    });
    return calls;
  }

  it.each<[string, () => Promise<unknown>, string, object | undefined, string?]>([
    ['get', () => get('/session', signal), 'GET', undefined, '/session'],
    ['post', () => post('/account/totp', { name: 'one' }), 'POST', { name: 'one' }, '/account/totp'],
    ['post without a body', () => post('/account/totp'), 'POST', undefined, '/account/totp'],
    ['patch', () => patch('/account', { name: 'two' }), 'PATCH', { name: 'two' }],
    [
      'put',
      () => put(organizationPath('org_1', '/rate-limits'), { concurrent: 5 }),
      'PUT',
      { concurrent: 5 },
      '/organizations/org_1/rate-limits',
    ],
    ['remove', () => remove('/account', { name: 'three' }), 'DELETE', { name: 'three' }],
    ['getForResponse', () => getForResponse('/account'), 'GET', undefined],
    [
      'postForResponse',
      () => postForResponse('/account', { name: 'four' }, signal),
      'POST',
      { name: 'four' },
    ],
  ])(
    'of %s has the page’s header, and its body as JSON',
    async (_name, call, method, body, path = '/account') => {
      const calls = respondWith(() => Response.json({}));
      await call();

      const json = body && { 'content-type': 'application/json' };
      expect(calls).toEqual([
        {
          url: `/dashboard/api${path}`,
          init: expect.objectContaining({
            method,
            headers: { 'x-dashboard': '1', ...json },
            body: body && JSON.stringify(body),
          }),
        },
      ]);
    },
  );

  it('passes on the signal that ends it', async () => {
    const calls = respondWith(() => Response.json({}));
    await get('/account', signal);
    await postForResponse('/account', {}, signal);
    expect(calls.map(({ init }) => init.signal)).toEqual([signal, signal]);
  });

  it('resolves to the body, or to null without one', async () => {
    respondWith(() => Response.json({ object: 'list' }));
    expect(await get('/account', signal)).toEqual({ object: 'list' });

    respondWith(() => new Response(null, { status: 204 }));
    expect([await post('/account/totp'), await remove('/account')]).toEqual([null, null]);
  });

  it('fails with the API’s message for the user, its code and the field', async () => {
    const error = {
      message: 'The name is too long',
      type: 'invalid_request_error',
      param: 'name',
      code: 'too_long',
    };
    respondWith(() => Response.json({ error }, { status: 400 }));

    await expect(post('/account/totp', {})).rejects.toEqual(
      new ApiError('The name is too long', 400, 'name', 'too_long'),
    );
  });

  it.each([
    [429, 'Throttled', 'There were too many requests. Wait a moment, then try again.'],
    [502, '<html>', 'The service is unavailable at the moment (status 502). Try again shortly.'],
    [
      403,
      '{"message":"Forbidden"}',
      'The service is unavailable at the moment (status 403). Try again shortly.',
    ],
    [
      500,
      '{"error":"Internal"}',
      'The service is unavailable at the moment (status 500). Try again shortly.',
    ],
    [500, '{"error":null}', 'The service is unavailable at the moment (status 500). Try again shortly.'],
    [500, '{"error":{}}', 'The service is unavailable at the moment (status 500). Try again shortly.'],
    [503, 'null', 'The service is unavailable at the moment (status 503). Try again shortly.'],
    [503, '"error"', 'The service is unavailable at the moment (status 503). Try again shortly.'],
  ])('fails with words of its own for a %i of another service: %s', async (status, body, message) => {
    respondWith(() => new Response(body, { status }));

    await expect(get('/account', signal)).rejects.toEqual(new ApiError(message, status));
  });

  it('fails with status 0 if there is no response', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));

    await expect(get('/account', signal)).rejects.toEqual(
      new ApiError('The dashboard cannot be reached. Check your connection, then try again.', 0),
    );
    await expect(post('/account/totp')).rejects.toMatchObject({ status: 0 });
  });

  it('that was ended fails with the reason', async () => {
    const ending = new AbortController();
    const reason = new DOMException('Aborted', 'AbortError');
    vi.stubGlobal('fetch', () => Promise.reject(reason));
    ending.abort();

    await expect(get('/account', ending.signal)).rejects.toBe(reason);
  });
});

describe('An error', () => {
  it.each([
    [new ApiError('Gone', 404), true],
    [new ApiError('Refused', 403), false],
    [new Error('404'), false],
    [null, false],
  ])('%s is that something does not exist: %s', (error, expected) => {
    expect(isNotFound(error)).toBe(expected);
  });

  it('that is not the API’s does not end the session', () => {
    expect([isSessionEnded(new Error('invalid_session')), isSessionEnded(null)]).toEqual([false, false]);
  });
});

describe('The server’s clock', () => {
  const nowMs = Date.parse('2026-11-23T12:04:00Z');

  it('is read from responses, since that of the browser may be wrong', () => {
    readServerClock(
      new Response(null, { headers: { date: 'Mon, 23 Nov 2026 12:04:00 GMT' } }),
      nowMs + 600_000,
    );
    expect(serverTimeMs(nowMs + 600_000)).toBe(nowMs + 500);
    expect(serverTimeMs(nowMs + 601_000)).toBe(nowMs + 1500);
  });

  it('is kept if a response has no time', () => {
    readServerClock(new Response(null, { headers: { date: 'Mon, 23 Nov 2026 12:04:00 GMT' } }), nowMs);
    readServerClock(new Response(null), 0);
    readServerClock(new Response(null, { headers: { date: 'soon' } }), 0);
    expect(serverTimeMs(nowMs)).toBe(nowMs + 500);
  });

  it('is read from each call, also one that failed', async () => {
    vi.useFakeTimers({ now: nowMs, toFake: ['Date'] });
    const headers = { date: 'Mon, 23 Nov 2026 12:14:00 GMT' };
    vi.stubGlobal('fetch', async () => new Response(null, { status: 500, headers }));
    await get('/account', signal).catch(() => {});
    vi.useRealTimers();
    expect(serverTimeMs(nowMs)).toBe(nowMs + 600_500);
  });
});

describe('A submission with an id', () => {
  it('sends it, and reads from a conflict what the first try has created', async () => {
    const sent: unknown[] = [];
    vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Record<string, string> }) => {
      sent.push(headers['idempotency-key']);
      const error = { message: 'Created already', type: 'invalid_request_error', param: null };
      return Response.json(
        { error: { ...error, code: 'conflict' }, created: { id: 'key_1' } },
        { status: 409 },
      );
    });
    const call = post(organizationPath('org_1', '/keys'), { name: 'a' }, { idempotencyKey: 'id-1' });

    await expect(call).rejects.toMatchObject({ code: 'conflict', createdId: 'key_1' });
    await expect(post('/organizations', { name: 'a' })).rejects.toMatchObject({ createdId: 'key_1' });
    expect(sent).toEqual(['id-1', undefined]);
  });

  it.each([{}, { created: null }, { created: {} }, { created: { id: 1 } }])(
    'has created nothing that is known by %j',
    async (body) => {
      const error = { message: 'Conflict', type: 'invalid_request_error', param: null, code: 'conflict' };
      vi.stubGlobal('fetch', async () => Response.json({ error, ...body }, { status: 409 }));
      await expect(post('/organizations', {})).rejects.toMatchObject({ createdId: null });
    },
  );
});

describe('The error of a call', () => {
  it.each([
    [{ 'x-amzn-requestid': 'id-1', 'x-request-id': 'id-2' }, 'id-1'],
    [{ 'x-request-id': 'id-2' }, 'id-2'],
    [{}, null],
  ])('has the id of its request, with the headers %j', async (headers, requestId) => {
    vi.stubGlobal('fetch', async () => Response.json({}, { status: 500, headers }));
    const error = await get('/organizations', signal).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 500, requestId });
  });
});
