import { createElement } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import {
  currentOrganization,
  lastUsedOrganization,
  rememberOrganization,
  useCurrentOrganization,
} from '#dashboard/current-organization/use-current-organization.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { render, textOf } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const acme: OrganizationSummary = { id: 'org_1', name: 'Acme', role: 'owner' };
const north: OrganizationSummary = { id: 'org_2', name: 'North', role: 'viewer' };

afterEach(() => void vi.unstubAllGlobals());

function storeInBrowser(entries: [string, string][] = []): Map<string, string> {
  const stored = new Map(entries);
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
  return stored;
}

/** A browser that blocks storage. */
function blockStorage(): void {
  const refuse = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
}

describe('The dashboard opens with', () => {
  it.each([
    ['the organization in the address', ['org_2', 'org_1'], north],
    ['the last used organization', [undefined, 'org_2'], north],
    ['the last used organization, if that in the address is gone', ['org_9', 'org_2'], north],
    ['the first organization, if the last used one is gone', [undefined, 'org_9'], acme],
    ['the first organization in a new browser', [undefined, null], acme],
  ])('%s', (_name, ids, expected) => {
    expect(currentOrganization([acme, north], ...ids)).toBe(expected);
  });

  it('no organization for people without any', () => {
    expect(currentOrganization([], undefined, 'org_1')).toBeNull();
  });
});

describe('The last used organization', () => {
  it('is remembered by the browser', () => {
    const stored = storeInBrowser();
    expect(lastUsedOrganization()).toBeNull();

    rememberOrganization('org_2');
    expect([...stored]).toEqual([['organization', 'org_2']]);
    expect(lastUsedOrganization()).toBe('org_2');
  });

  it('is unknown without storage, which is no error', () => {
    blockStorage();
    rememberOrganization('org_2');
    expect(lastUsedOrganization()).toBeNull();
  });
});

function CurrentName() {
  const organization = useCurrentOrganization();
  return organization === undefined ? 'unknown' : (organization?.name ?? 'none');
}

describe('The current organization', () => {
  const nameAt = async (path: string, data?: OrganizationSummary[]) => {
    const list = { object: 'list', data, can_create: false };
    const loaded = data === undefined ? [] : ([[organizationListQuery.queryKey, list]] as const);
    return textOf(await renderOnPage(createElement(CurrentName), { path, loaded }));
  };

  it('is that of the address, and beside the views of the account the last used one', async () => {
    storeInBrowser([['organization', 'org_2']]);

    expect(await nameAt('/organizations/org_1/usage', [acme, north])).toBe('Acme');
    expect(await nameAt('/organizations/org_9/usage', [acme, north])).toBe('North');
    expect(await nameAt('/account', [acme, north])).toBe('North');
    expect(await nameAt('/account', [acme])).toBe('Acme');
  });

  it('is none for people without any, and not known before the list is loaded', async () => {
    storeInBrowser();

    expect(await nameAt('/account', [])).toBe('none');
    expect(await nameAt('/organizations/org_1/usage')).toBe('unknown');
  });
});

describe('The organization of a view', () => {
  const Named = () => useOrganization().name;

  it('is that which its route has loaded', async () => {
    expect(textOf(await renderOnPage(createElement(Named)))).toBe('Acme');
  });

  it('is missing outside the routes of an organization', () => {
    expect(() => render(createElement(Named))).toThrow(
      'useOrganization must be used within the routes of an organization',
    );
  });
});
