import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, get, isSessionEnded, post, removeIfPresent } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/queries.ts';

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
