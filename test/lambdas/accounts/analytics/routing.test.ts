import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RouteActivity, RouteList } from '#lambdas/accounts/analytics/responses.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { removeRoute, setRoute } from '#lambdas/routing/changes.ts';
import type { Route } from '#lambdas/routing/route.ts';
import { type AnalyticsFixture, startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { createTestAuditTrail, type TestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { logEntry } from '#test/support/log-entries.ts';

let fixture: AnalyticsFixture;
let audit: TestAuditTrail;
let routes = 0;
let name: string;
beforeAll(async () => {
  fixture = await startAnalyticsFixture();
  const { reports, dependencies } = fixture;
  audit = createTestAuditTrail(reports.database, reports.tables, dependencies.now);
});
afterAll(() => fixture.stop());
beforeEach(() => {
  name = `route-${++routes}`;
});

const set = (owner: string | null, route: Route, of = name) =>
  setRoute(fixture.dependencies.directoryTable, { owner, name: of }, route, audit);
const remove = (owner: string | null, of = name) =>
  removeRoute(fixture.dependencies.directoryTable, { owner, name: of }, audit);
const organizationId = () => fixture.caller.organizationId;

async function get<Body>(path: string): Promise<Body> {
  const { status, body } = await fixture.get(path);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as Body;
}

const toOpenAi: Route = { strategy: 'order', targets: [{ model: 'openai/gpt-5.6' }] };
const weighted: Route = {
  strategy: 'weight',
  targets: [
    { model: 'openai/gpt-5.6', weight: 0.5, parameters: { temperature: 0 } },
    { model: 'anthropic/claude-5', first_event_seconds: 2.5 },
  ],
  attempts: 2,
};

describe('GET /dashboard/api/analytics/{organization}/routes', () => {
  it('lists the routes of the organization and of the operator by name', async () => {
    const changed_at = fixture.dependencies.now().toISOString();
    await set(organizationId(), weighted, 'b');
    await set(null, toOpenAi, 'b');
    await set(null, toOpenAi, 'a');
    await set(organizationId(), toOpenAi, 'c');
    await set('org_other', toOpenAi, 'd').catch(() => {});

    const list = await get<RouteList>('/routes');

    const openAi = { ...toOpenAi, attempts: 3, overridden: false, changed_at };
    expect(list).toEqual({
      object: 'list',
      data: [
        { name: 'a', owner: 'operator', ...openAi },
        { name: 'b', owner: 'organization', ...weighted, overridden: false, changed_at },
        { name: 'b', owner: 'operator', ...openAi, overridden: true },
        { name: 'c', owner: 'organization', ...openAi },
      ],
    });
    for (const [owner, of] of [
      [organizationId(), 'b'],
      [null, 'b'],
      [null, 'a'],
      [organizationId(), 'c'],
    ] as const) {
      await remove(owner, of);
    }
    expect(await get('/routes')).toEqual({ object: 'list', data: [] });
  });

  it('refuses parameters', async () => {
    expect(await fixture.get('/routes?limit=1')).toMatchObject({ status: 400 });
  });
});

describe('GET /dashboard/api/analytics/{organization}/routes/{name}/activity', () => {
  const minutesAgo = (minutes: number) => fixture.dependencies.now().getTime() - minutes * minuteMs;
  const entry = (minutes: number, fields: Partial<LogEntry>) =>
    logEntry({ id: createLogId(minutesAgo(minutes)), route: name, attempt: 1, ...fields });
  const openAi = { provider: 'openai', model: 'gpt-5.6' };
  const anthropic = { provider: 'anthropic', model: 'claude-5' };
  const failed = { outcome: 'provider_error', error_code: 'provider_error' } as const;
  const activity = () => get<RouteActivity>(`/routes/${name}/activity`);

  it('counts the attempts, failures and skips of each target in the last hour', async () => {
    await set(organizationId(), weighted);
    const request = entry(10, {
      ...anthropic,
      attempt: 2,
      cost_usd: '0.000003',
      skipped_targets: [{ target: 'openai/gpt-5.6', reason: 'failing', param: null }],
    });
    await fixture.record(
      entry(20, { ...openAi, cost_usd: '0.000001' }),
      // Each of these has been taken over by Anthropic.
      entry(10, {
        ...openAi,
        ...failed,
        superseded_by: request.id,
        cost_usd: '0.000002',
        skipped_targets: [{ target: 'anthropic/claude-5', reason: 'failing', param: null }],
      }),
      request,
      entry(5, { ...openAi, ...failed, cost_usd: '0' }),
      entry(4, { ...openAi, outcome: 'client_closed', cost_usd: '0' }),
      // A former target.
      entry(3, {
        provider: 'mistral',
        model: 'small',
        outcome: 'timeout',
        error_code: 'provider_timeout',
        cost_usd: '0',
      }),
      entry(2, {
        provider: null,
        model: null,
        attempt: null,
        outcome: 'rejected',
        error_code: 'no_suitable_target',
        cost_usd: '0',
        skipped_targets: [
          { target: 'openai/gpt-5.6', reason: 'unsupported', param: 'tools' },
          { target: 'anthropic/claude-5', reason: 'not_configured', param: null },
        ],
      }),
      // None of these counts.
      entry(61, { ...openAi, ...failed }),
      entry(1, { ...openAi, ...failed, route: 'another' }),
      entry(1, { ...openAi, ...failed, route: null, attempt: null }),
    );

    expect(await activity()).toEqual({
      since: new Date(minutesAgo(60)).toISOString(),
      until: new Date(minutesAgo(0)).toISOString(),
      complete: true,
      requests: 6,
      failed_requests: 3,
      targets: [
        { model: 'openai/gpt-5.6', attempts: 4, failures: 2, skips: 2, cost_usd: 0.000003 },
        { model: 'anthropic/claude-5', attempts: 1, failures: 0, skips: 1, cost_usd: 0.000003 },
        { model: 'mistral/small', attempts: 1, failures: 1, skips: 0, cost_usd: 0 },
      ],
    });
  });

  it('is that of the route of the operator, if the organization has none', async () => {
    name = 'gpt-5.6';
    await set(null, toOpenAi);
    await fixture.record(entry(1, openAi));

    expect(await activity()).toMatchObject({
      requests: 1,
      failed_requests: 0,
      targets: [{ model: 'openai/gpt-5.6', attempts: 1 }],
    });
    await set(organizationId(), weighted);
    expect((await activity()).targets.map(({ model }) => model)).toEqual([
      'openai/gpt-5.6',
      'anthropic/claude-5',
    ]);
  });

  it('has targets without attempts before the first request', async () => {
    await set(organizationId(), toOpenAi);

    expect(await activity()).toMatchObject({
      complete: true,
      requests: 0,
      failed_requests: 0,
      targets: [{ model: 'openai/gpt-5.6', attempts: 0, failures: 0, skips: 0, cost_usd: 0 }],
    });
  });

  it('says if there were more entries than are read', async () => {
    await set(organizationId(), toOpenAi);
    await fixture.reports.write(
      ...Array.from({ length: 1001 }, () => ({
        ...entry(1, openAi),
        organization_id: organizationId(),
      })),
    );

    expect(await activity()).toMatchObject({ complete: false, requests: 1000 });
  });

  it('is refused for a route that neither has', async () => {
    const message = 'There is no such route';

    expect(await fixture.get('/routes/missing/activity')).toMatchObject({
      status: 404,
      body: { error: { message } },
    });
    expect(await fixture.get('/routes/constructor/activity')).toMatchObject({ status: 404 });
  });
});

describe('POST /dashboard/api/analytics/{organization}/routes/{name}/test', () => {
  const request = { messages: [{ role: 'user', content: 'Hello' }], n: 2, max_tokens: 1000 };
  const test = (body: object) => fixture.post(`/routes/${name}/test`, body);

  it('says which target would serve a request, and why others would not', async () => {
    const { providers } = fixture.dependencies;
    providers.credentials = { ...providers.credentials, find: async () => 'sk-1' };
    const targets = ['anthropic/claude-sonnet-5', 'openai/gpt-4o', 'openai/gpt-4o-mini', 'nobody/x'].map(
      (model) => ({
        model,
      }),
    );
    await set(organizationId(), { strategy: 'order', targets } as unknown as Route);

    const { status, body } = await test({ operation: 'chat.completions', request });

    const skipped = { decision: 'skipped', param: null, share: null, cost_usd: null };
    const served = { reason: null, param: null, share: null };
    expect([status, body]).toEqual([
      200,
      {
        target: 'openai/gpt-4o',
        targets: [
          {
            ...skipped,
            model: 'anthropic/claude-sonnet-5',
            reason: 'unsupported',
            param: 'n',
            cost_usd: expect.any(Number),
          },
          { ...served, model: 'openai/gpt-4o', decision: 'first', cost_usd: 0.010005 },
          { ...served, model: 'openai/gpt-4o-mini', decision: 'next', cost_usd: 0.0006003 },
          { ...skipped, model: 'nobody/x', reason: 'unknown_model' },
        ],
      },
    ]);
  });

  it.each([
    [{ operation: 'images', request }, 'operation'],
    [{ operation: 'chat.completions', request: [] }, 'request'],
    [{ operation: 'chat.completions', request: {} }, 'messages'],
    [{ operation: 'chat.completions', request, model: 'x' }, 'model'],
  ])('refuses %j', async (body, param) => {
    await set(organizationId(), toOpenAi);
    expect(await test(body)).toMatchObject({ status: 400, body: { error: { param } } });
  });

  it('answers 404 without such a route', async () => {
    expect(await test({ operation: 'chat.completions', request })).toMatchObject({ status: 404 });
  });
});
