import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { startAnalytics } from '#test/support/accounts/analytics-fixture.ts';

let fixture: AnalyticsFixture;
beforeAll(async () => {
  fixture = await startAnalytics();
});
afterAll(() => fixture.stop());

const paths = [
  '/costs',
  '/logs',
  '/logs/019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01',
  '/session?session_id=s',
  '/providers',
  '/models',
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

  it('does not tell the members of another organization about an entry', async () => {
    const other = await fixture.reports.newCaller();
    const stranger = await fixture.accounts.signIn('Eve');
    await fixture.accounts.join(other.organizationId, stranger, 'owner');

    const list = await fixture.get('/logs', stranger, other.organizationId);

    expect(list).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('shows everything to viewers', async () => {
    const viewer = await fixture.accounts.signIn('Vera');
    await fixture.accounts.join(fixture.caller.organizationId, viewer, 'viewer');

    expect(await fixture.get('/costs', viewer)).toMatchObject({ status: 200 });
  });
});
