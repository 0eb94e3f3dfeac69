import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogList } from '#lambdas/accounts/analytics/responses.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import type { AnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { logEntry } from '#test/support/log-entries.ts';

let fixture: AnalyticsFixture;
beforeAll(async () => {
  fixture = await startAnalyticsFixture();
});
afterAll(() => fixture.stop());

const paths = [
  '/costs',
  '/logs',
  '/logs/019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
  '/session?session_id=s',
  '/providers',
  '/models',
  '/routes',
  '/routes/fast/activity',
  '/projection',
  '/statements/2026-10',
];

describe('Analytics of an organization', () => {
  it.each(paths)('refuses %s without a session', async (path) => {
    expect(await fixture.get(path, null)).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_session' } },
    });
  });

  it.each(paths)('does not tell others at %s whether the organization exists', async (path) => {
    const stranger = await fixture.accounts.signIn('Eve');
    const noOrganization = {
      status: 404,
      body: { error: { message: 'There is no such organization among yours' } },
    };

    expect(await fixture.get(path, stranger)).toMatchObject(noOrganization);
    expect(await fixture.get(path, stranger, 'org_none')).toMatchObject(noOrganization);
  });

  it('answers 404 to an id that is longer than any key of the tables', async () => {
    expect(await fixture.get('/logs', fixture.owner, 'a'.repeat(5000))).toMatchObject({ status: 404 });
  });

  it('does not tell the members of another organization about entries, not even with their cursor', async () => {
    const times = ['2026-11-23T07:00:00.000Z', '2026-11-23T07:00:01.000Z'];
    const [entry, later] = times.map((time) =>
      logEntry({ id: createLogId(Date.parse(time)), session_id: 's' }),
    );
    if (entry === undefined || later === undefined) throw new Error('no entries');
    await fixture.record(entry, later);
    const other = await fixture.reports.newCaller();
    const stranger = await fixture.accounts.signIn('Eve');
    await fixture.accounts.join(other.organizationId, stranger, 'owner');
    const get = (path: string) => fixture.get(path, stranger, other.organizationId);
    const { next_cursor } = (await fixture.get('/logs?limit=1')).body as LogList;

    expect(await get('/logs')).toMatchObject({ status: 200, body: { data: [] } });
    expect(await get('/session?session_id=s')).toMatchObject({ status: 200, body: { data: [] } });
    expect(await get('/costs')).toMatchObject({ status: 200, body: { totals: { requests: 0 } } });
    expect(await get('/statements/2026-11')).toMatchObject({ status: 200, body: { lines: [] } });
    expect(await get(`/logs/${entry.id}`)).toMatchObject({ status: 404 });
    expect(await get(`/logs?limit=1&cursor=${next_cursor}`)).toMatchObject({
      status: 400,
      body: { error: { param: 'cursor' } },
    });
  });

  it('shows everything to viewers', async () => {
    const viewer = await fixture.accounts.signIn('Vera');
    await fixture.accounts.join(fixture.caller.organizationId, viewer, 'viewer');

    expect(await fixture.get('/costs', viewer)).toMatchObject({ status: 200 });
  });
});
