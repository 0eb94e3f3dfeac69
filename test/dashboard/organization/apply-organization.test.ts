import { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it } from 'vitest';
import { memberListQuery, organizationListQuery, organizationQuery } from '#dashboard/api/organizations.ts';
import {
  applyListedOrganization,
  applyOrganization,
  applyRemovedOrganization,
} from '#dashboard/organization/apply-organization.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { acme } from '../rendering/page.ts';

const summary: OrganizationSummary = { id: 'org_1', name: 'Acme', role: 'owner' };
const north: OrganizationSummary = { id: 'org_2', name: 'North', role: 'viewer' };
const listKey = organizationListQuery.queryKey;

let client: QueryClient;
beforeEach(() => {
  client = new QueryClient();
});

const store = (...data: OrganizationSummary[]) =>
  client.setQueryData(listKey, { object: 'list', data, can_create: true });

describe('The stored organizations', () => {
  it('list a new one as the last, by its summary', () => {
    store(north);
    applyOrganization(client, acme);

    expect(client.getQueryData(listKey)).toEqual({
      object: 'list',
      data: [north, summary],
      can_create: true,
    });
    expect(client.getQueryData(organizationQuery('org_1').queryKey)).toEqual(acme);
  });

  it('update one in its place', () => {
    store(summary, north);
    applyOrganization(client, { ...acme, name: 'Acme Research', role: 'admin' });

    expect(client.getQueryData(listKey)?.data).toEqual([
      { id: 'org_1', name: 'Acme Research', role: 'admin' },
      north,
    ]);
  });

  it('stay unknown until they are loaded', async () => {
    applyListedOrganization(client, summary);
    await applyRemovedOrganization(client, 'org_1', async () => {});

    expect(client.getQueryData(listKey)).toBeUndefined();
  });

  it('lose one from the list before its views are left, and its data after', async () => {
    store(summary, north);
    client.setQueryData(organizationQuery('org_1').queryKey, acme);
    client.setQueryData(memberListQuery('org_1').queryKey, { object: 'list', data: [] });
    client.setQueryData(memberListQuery('org_2').queryKey, { object: 'list', data: [] });
    const atLeaving: unknown[] = [];

    await applyRemovedOrganization(client, 'org_1', async () => {
      atLeaving.push(
        client.getQueryData(listKey)?.data,
        client.getQueryData(organizationQuery('org_1').queryKey),
      );
    });

    expect(atLeaving).toEqual([[north], acme]);
    expect(
      client
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey),
    ).toEqual([['organizations'], ['organizations', 'org_2', 'members']]);
  });
});
