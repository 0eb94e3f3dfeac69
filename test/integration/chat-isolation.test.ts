import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type ChatHarness, createChatHarness, functionUrlEvent } from '../support/chat/harness.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';
import { type IsolationEnvironment, startIsolationEnvironment } from './isolation/environment.ts';
import { markerOf, nowMs, sharedValues, uniqueEntryId } from './isolation/requests.ts';

let environment: IsolationEnvironment;
let callers: IsolationEnvironment['callers'];
beforeAll(async () => {
  environment = await startIsolationEnvironment();
  ({ callers } = environment);
});
afterAll(() => environment.reports.stop());

describe('A chat request', () => {
  let upstream: OpenAIUpstream;
  let gateway: ChatHarness;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    const { database, tables } = environment.reports;
    const table = {
      client: database.documentClient,
      tableName: tables.logEntries,
      now: () => new Date(nowMs),
    };
    gateway = await createChatHarness({
      database,
      settings: { openai: { baseUrl: upstream.baseUrl } },
      credentials: { openai: { api_key: 'sk-upstream' } },
      dependencies: {
        authenticate: createAuthenticate({ directory: environment.directory, now: () => new Date(nowMs) }),
        logEntries: createSdkLogEntryWriter(table, 90),
        now: () => new Date(nowMs - 1000),
      },
    });
  });
  afterAll(() => upstream.stop());

  it('logs a chat request for the organization of its API key, whatever its body and headers contain', async () => {
    const [sender, other] = callers;
    const { organizationId, apiKey } = other;
    const before = await environment.sendAll(other);
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

    expect(await environment.sendAll(other)).toEqual(before);
    const query = `session_id=ada&prompt_id=${encodeURIComponent(`${organizationId}#0#ada`)}`;
    const own = (await environment.reports.get('logs', { caller: sender, query })).body as {
      data: { user_id: string; status: number }[];
    };
    expect(own.data.map(({ user_id, status }) => [user_id, status]).sort()).toEqual([
      ['ada', 200],
      ['ada', 400],
    ]);
    expect((await environment.reports.get('logs', { caller: other, query })).body).toMatchObject({
      data: [],
      has_more: false,
    });
  });

  it('returns the same list of models to every organization, without organization or key ids', async () => {
    const lists = await Promise.all(
      callers.map(async ({ apiKey }) => {
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
