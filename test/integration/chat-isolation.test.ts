/** What one organization can do to another one by a chat request: nothing, whatever its body and headers say. */
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createSdkLogEntryWriter } from '#lambdas/request-log/table/log-entries-table.ts';
import { type ChatHarness, createChatHarness, functionUrlEvent } from '../support/chat-harness.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/openai-upstream.ts';
import { type IsolationEnvironment, startIsolationEnvironment } from './isolation/isolation-environment.ts';
import { markOf, nowMs, onlyId, sharedValues } from './isolation/isolation-questions.ts';

// Hundreds of questions each, one after the other.
let world: IsolationEnvironment;
let callers: IsolationEnvironment['callers'];
beforeAll(async () => {
  world = await startIsolationEnvironment();
  ({ callers } = world);
});
afterAll(() => world.reports.stop());

describe('a chat request', () => {
  let upstream: OpenAIUpstream;
  let gateway: ChatHarness;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    const { database, tables } = world.reports;
    const table = {
      client: database.documentClient,
      tableName: tables.logEntries,
      now: () => new Date(nowMs),
    };
    gateway = await createChatHarness({
      database,
      settings: { openai: { baseUrl: upstream.baseUrl } },
      credentials: { openai: { api_key: 'sk-upstream' } },
      services: {
        authenticate: createAuthenticate({ directory: world.directory, now: () => new Date(nowMs) }),
        logEntries: createSdkLogEntryWriter(table, 90),
        now: () => new Date(nowMs - 1000),
      },
    });
  });
  afterAll(() => upstream.stop());

  it('is logged for the organization of its key, whatever its body and headers say', async () => {
    const [sender, other] = callers;
    const { organizationId, apiKey } = other;
    const before = await world.askAll(other);
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
      // No provider knows these, so this one refuses them; the request is logged all the same.
      const owners = {
        organization_id: organizationId,
        organization: organizationId,
        api_key_id: markOf(1),
        id: onlyId,
      };
      expect((await gateway.post({ ...body, ...owners }, headers)).status).toBe(400);
    }

    expect(await world.askAll(other)).toEqual(before);
    const query = `session_id=ada&prompt_id=${encodeURIComponent(`${organizationId}#0#ada`)}`;
    const own = (await world.reports.get('logs', { caller: sender, query })).body as {
      data: { user_id: string; status: number }[];
    };
    expect(own.data.map(({ user_id, status }) => [user_id, status]).sort()).toEqual([
      ['ada', 200],
      ['ada', 400],
    ]);
    expect((await world.reports.get('logs', { caller: other, query })).body).toMatchObject({
      data: [],
      has_more: false,
    });
  });

  it('of either organization gets the same list of models, which names neither', async () => {
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
