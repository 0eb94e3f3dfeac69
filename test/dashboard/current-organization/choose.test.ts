import { describe, expect, it } from 'vitest';
import { currentOrganization } from '#dashboard/current-organization/use-current-organization.ts';
import { viewAfterSwitch } from '#dashboard/shell/views.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';

const acme: OrganizationSummary = { id: 'org_1', name: 'Acme', role: 'owner' };
const north: OrganizationSummary = { id: 'org_2', name: 'North', role: 'viewer' };

describe('The dashboard opens with', () => {
  it.each([
    ['the organization in the address', ['org_2', 'org_1'], north],
    ['the last used organization', [undefined, 'org_2'], north],
    ['the first organization, if the last used one is gone', [undefined, 'org_9'], acme],
    ['the first organization in a new browser', [undefined, null], acme],
  ])('%s', (_name, ids, expected) => {
    expect(currentOrganization([acme, north], ...ids)).toBe(expected);
  });

  it('no organization for people without any', () => {
    expect(currentOrganization([], undefined, 'org_1')).toBeNull();
  });
});

describe('Switching the organization', () => {
  it.each([
    ['/organizations/$organizationId/members', 'viewer', '/organizations/$organizationId/members'],
    ['/organizations/$organizationId/audit-trail', 'owner', '/organizations/$organizationId/audit-trail'],
    ['/organizations/$organizationId/audit-trail', 'admin', '/organizations/$organizationId/overview'],
    ['/account/security', 'owner', '/organizations/$organizationId/overview'],
  ] as const)('leads from %s as %s to %s', (path, role, expected) => {
    expect(viewAfterSwitch(path, role)).toBe(expected);
  });
});
