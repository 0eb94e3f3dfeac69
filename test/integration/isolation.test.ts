import { createHash, createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { writeCursor } from '#lambdas/reports/logs/cursor.ts';
import { parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import {
  type ChatHandlerFixture,
  createChatHandlerFixture,
  functionUrlEvent,
} from '../support/chat/handler-fixture.ts';
import type { MeteredRead } from '../support/dynamodb/read-meter.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';
import type { Caller } from '../support/reports/fixture.ts';
import { type IsolationFixture, startIsolationFixture } from './isolation/fixture.ts';
import { markerOf, nowMs, sharedValues, uniqueEntryId } from './isolation/requests.ts';

/** Without entries in many responses, their comparison proves nothing. The other requests have filters that match none. */
const minShareWithEntries = 0.2;

let fixture: IsolationFixture;
let callers: IsolationFixture['callers'];
/** The responses to all requests of each organization, and the keys that were read for them. */
const sent: { responses: string[]; keys: unknown[] }[] = [];
beforeAll(async () => {
  fixture = await startIsolationFixture();
  ({ callers } = fixture);
  for (const caller of callers) {
    const keys: unknown[] = [];
    const responses = await fixture.sendAll(caller, (reads) => keys.push(...reads.map(partitionOf)));
    sent.push({ responses, keys });
  }
});
afterAll(() => fixture.reports.stop());

describe('Reports of an organization', () => {
  it('returns the same bytes after another organization gets the same ids and values', () => {
    const responses = sent[0]?.responses ?? [];
    expect(responses).toEqual(fixture.baselineResponses);
    expect(responses.filter((response) => response.includes(markerOf(0))).length).toBeGreaterThan(
      minShareWithEntries * responses.length,
    );
    expect(responses.filter((response) => response.includes(markerOf(1)))).toEqual([]);
  });

  it('returns only entries and totals of the organization', async () => {
    const responses = sent[1]?.responses ?? [];
    expect(responses.filter((response) => response.includes(markerOf(1))).length).toBeGreaterThan(
      minShareWithEntries * responses.length,
    );
    expect(responses.filter((response) => response.includes(markerOf(0)))).toEqual([]);
    const sums = JSON.parse((await fixture.send({ endpoint: 'costs' }, callers[1])).slice(4));
    const entries = sharedValues(callers).length;
    expect(sums).toMatchObject({
      total_requests: entries + 1,
      total_input_tokens: 7_000_000 * entries + 1200,
    });
  });

  it.each([0, 1] as const)('reads only partitions of organization %i and its API key', (index) => {
    const { organizationId, apiKey } = callers[index];
    const keys = sent[index]?.keys ?? [];
    const ownKey = new RegExp(`^((organization#)?${organizationId}(#.*)?|key#${hashApiKey(apiKey)}|all)$`);
    expect(keys.length).toBeGreaterThan(fixture.requests.length);
    expect(keys.filter((key) => !ownKey.test(String(key)))).toEqual([]);
  });

  it.each(['organization_id', 'organization', 'org', 'api_key', 'key'])(
    'returns 400 for the parameter %s with the id of another organization',
    async (name) => {
      for (const endpoint of ['logs', 'costs', 'log'] as const) {
        const query = `${name}=${callers[1].organizationId}`;
        const { status, body } = await fixture.reports.get(endpoint, {
          caller: callers[0],
          query,
          id: uniqueEntryId,
        });
        expect([status, body]).toEqual([400, { error: expect.objectContaining({ param: name }) }]);
      }
    },
  );

  it('ignores headers that name another organization', async () => {
    const { organizationId, apiKey } = callers[1];
    const headers = {
      'openai-organization': organizationId,
      'x-organization-id': organizationId,
      'gateway-organization-id': organizationId,
      'x-amz-security-token': apiKey,
      'x-api-key': apiKey,
      cookie: `organization_id=${organizationId}; authorization=Bearer ${apiKey}`,
    };
    for (const [index, request] of fixture.requests.entries()) {
      if (index % 10 > 0) continue;
      expect(await fixture.send({ ...request, headers }, callers[0])).toBe(fixture.baselineResponses[index]);
    }
  });
});

describe('A key in x-api-key', () => {
  const send = (endpoint: 'logs' | 'log' | 'costs', headers: Record<string, string>) =>
    fixture.reports.get(endpoint, { headers, id: uniqueEntryId });

  it('reads the data of its own organization only', async () => {
    for (const endpoint of ['logs', 'log', 'costs'] as const) {
      const [first, second] = await Promise.all(
        callers.map(async ({ apiKey }) => {
          const asBearer = await send(endpoint, { authorization: `Bearer ${apiKey}` });
          const response = await send(endpoint, { 'x-api-key': apiKey });
          expect(response).toEqual(asBearer);
          return response;
        }),
      );
      expect([endpoint, first?.status, second?.status]).toEqual([
        endpoint,
        endpoint === 'log' ? 404 : 200,
        200,
      ]);
      expect(first?.text).not.toContain(markerOf(1));
      expect(second?.text).not.toContain(markerOf(0));
    }
  });

  it('opens nothing beside a bearer token', async () => {
    const headers = { authorization: 'Bearer pt_live_', 'x-api-key': callers[1].apiKey };
    expect((await send('logs', headers)).status).toBe(401);
  });
});

/**
 * In the directory, all organizations are in one partition, so the sort key is returned; and for prices, the organization
 * they are for.
 */
function partitionOf({ input }: MeteredRead): unknown {
  const { Key = {}, ExpressionAttributeValues: values = {} } = input as Record<
    string,
    Record<string, unknown>
  >;
  if (Key.pk === 'organizations') return Key.sk;
  return (
    Key.scope ?? Key.organization_shard ?? Key.pk ?? values[':key'] ?? values[':pk'] ?? values[':partition']
  );
}

describe('A cursor of the logs', () => {
  const cursorError = expect.objectContaining({ code: 'invalid_request_error', param: 'cursor' });
  const read = (caller: Caller, query: string) => fixture.reports.get('logs', { caller, query });
  const fetchCursor = async (caller: Caller, query: string) =>
    ((await read(caller, query)).body as { next_cursor: string }).next_cursor;

  it('returns 400 for a cursor of another organization, for every filter', async () => {
    for (const query of [
      '',
      'user_id=ada&',
      'model=gpt-4o&',
      'provider=openai&',
      'status=429&',
      'session_id=%230&',
    ]) {
      const caller = callers[1];
      const offset = query === 'user_id=ada&' || query === 'session_id=%230&' ? '' : '&offset=1';
      const cursor = await fetchCursor(caller, `${query}limit=1${offset}`);
      if (cursor === null) continue;
      expect((await read(caller, `${query}cursor=${cursor}`)).status).toBe(200);
      const { status, body } = await read(callers[0], `${query}cursor=${cursor}`);
      expect([query, status, body]).toEqual([query, 400, { error: cursorError }]);
    }
  });

  it('returns 400 for a cursor that is forged without the cursor key', async () => {
    const { organizationId } = callers[0];
    const cursor = await fetchCursor(callers[0], 'limit=1');
    const position = Buffer.from(cursor, 'base64url').subarray(0, 18);
    const { scope } = parseLogQuery(organizationId, {});
    const forge = (signature: Buffer) =>
      Buffer.concat([position, signature.subarray(0, 16)]).toString('base64url');
    const { cursorKey } = await fixture.directory.logAccessOf(organizationId);
    const { cursorKey: otherKey } = await fixture.directory.logAccessOf(callers[1].organizationId);
    const signedWith = (key: string) =>
      forge(createHmac('sha256', Buffer.from(key, 'base64url')).update(position).update(scope).digest());
    // With the right key the forgery equals the real cursor, so the others fail only because of their key.
    expect(signedWith(cursorKey)).toBe(cursor);
    for (const forged of [
      signedWith(otherKey),
      signedWith(''),
      forge(createHash('sha256').update(position).update(scope).digest()),
    ]) {
      const { status, body } = await read(callers[0], `cursor=${forged}`);
      expect([status, body]).toEqual([400, { error: cursorError }]);
    }
  });

  it('returns only entries of the organization for a signed cursor, wherever it points', async () => {
    const { organizationId } = callers[0];
    const { cursorKey: key } = await fixture.directory.logAccessOf(organizationId);
    const { scope } = parseLogQuery(organizationId, {});
    const cursor = writeCursor({ after: 'ffffffff-ffff-ffff-ffff-ffffffffffff', toSkip: 0 }, { scope, key });
    const { text } = await read(callers[0], `cursor=${cursor}&limit=1000`);
    expect(text.split(markerOf(0)).length - 1).toBe(3 * sharedValues(callers).length);
    expect(text).not.toContain(markerOf(1));
  });
});

describe('A chat request', () => {
  let upstream: OpenAIUpstream;
  let gateway: ChatHandlerFixture;
  /** A third organization, so that its entries are in no other test. */
  let sender: Caller;
  beforeAll(async () => {
    sender = await fixture.reports.newCaller({ logShards: 2 });
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    const { database, tables } = fixture.reports;
    const table = {
      client: database.documentClient,
      tableName: tables.logEntries,
      now: () => new Date(nowMs),
    };
    gateway = await createChatHandlerFixture({
      database,
      settings: { openai: { baseUrl: upstream.baseUrl } },
      credentials: { openai: { api_key: 'sk-upstream' } },
      dependencies: {
        authenticate: createAuthenticate({ apiKeys: fixture.directory, now: () => new Date(nowMs) }),
        logEntries: createSdkLogEntryWriter(table, 90),
        now: () => new Date(nowMs - 1000),
      },
    });
  });
  afterAll(() => upstream.stop());

  it('logs a chat request for the organization of its API key, whatever its body and headers contain', async () => {
    const [, other] = callers;
    const { organizationId, apiKey } = other;
    const values = sharedValues(callers);
    for (const value of values) {
      const body = {
        model: 'openai/gpt-4o',
        messages: [{ role: 'user', content: `I am ${organizationId}` }],
        user: value,
      };
      const headers = {
        authorization: `Bearer ${sender.apiKey}`,
        'gateway-user-id': value,
        'gateway-session-id': value,
        'gateway-prompt-id': `${organizationId}#0#${value}`,
        'gateway-organization-id': organizationId,
        'openai-organization': organizationId,
        'x-organization-id': organizationId,
        'x-api-key': apiKey,
        cookie: `organization_id=${organizationId}`,
      };
      expect((await gateway.post(body, headers)).status).toBe(200);
      // The provider rejects these unknown parameters; the request is logged nevertheless.
      const owners = {
        organization_id: organizationId,
        organization: organizationId,
        api_key_id: markerOf(1),
        id: uniqueEntryId,
      };
      expect((await gateway.post({ ...body, ...owners }, headers)).status).toBe(400);
    }

    expect(await fixture.sendAll(other)).toEqual(sent[1]?.responses);
    const query = `session_id=ada&prompt_id=${encodeURIComponent(`${organizationId}#0#ada`)}`;
    const own = (await fixture.reports.get('logs', { caller: sender, query })).body as {
      data: { user_id: string; status: number }[];
    };
    expect(own.data.map(({ user_id, status }) => [user_id, status]).sort()).toEqual([
      ['ada', 200],
      ['ada', 400],
    ]);
    expect((await fixture.reports.get('logs', { caller: other, query })).body).toMatchObject({
      data: [],
      has_more: false,
    });
  });

  it('returns the same list of models to every organization, without organization or key ids', async () => {
    const lists = await Promise.all(
      [sender, callers[1]].map(async ({ apiKey }) => {
        const event = gateway.event('', { authorization: `Bearer ${apiKey}` });
        const { requestContext } = functionUrlEvent;
        const call = await gateway.call({
          ...event,
          rawPath: '/ai/models',
          requestContext: { ...requestContext, http: { ...requestContext.http, method: 'GET' } },
        });
        await call.invocation;
        return text(call.body);
      }),
    );
    expect(lists[0]).toContain('"id":"openai/gpt-4o"');
    expect(lists[1]).toBe(lists[0]);
    expect(lists[0]).not.toMatch(/org_|key_/);
  });
});
