/** Keys of an organization, and the pages of their list. */
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import type { ApiKeyList } from '#lambdas/accounts/organizations/responses.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import type { ApiResponse } from '#test/support/accounts/api-event.ts';
import type { OrganizationsFixture, TestUser } from '#test/support/accounts/organizations-fixture.ts';

export interface KeyPages {
  /** A millisecond after the one before. */
  add(fields?: { name?: string; expiresAt?: string }): Promise<ApiKey>;
  revoke(keyId: string): Promise<void>;
  /** The response of any list, such as `/keys`. */
  get(
    resource: string,
    query?: Readonly<Record<string, string>>,
    call?: OrganizationsFixture['call'],
  ): Promise<ApiResponse>;
  page(query?: Readonly<Record<string, string>>, call?: OrganizationsFixture['call']): Promise<ApiKeyList>;
  /** The names on each page until the last one. */
  names(query?: Readonly<Record<string, string>>): Promise<string[][]>;
}

export function keyPages(fixture: OrganizationsFixture, user: TestUser, organizationId: string): KeyPages {
  const { directory } = fixture.dependencies;
  const audit = fixture.auditOf(user);
  const pages: KeyPages = {
    async add({ name = 'key', expiresAt } = {}) {
      fixture.clock.nowMs += 1;
      const createdBy = creatorOf(audit.actor);
      const createdAt = audit.now();
      const { key, apiKey } = issueApiKey({ organizationId, name, createdAt, createdBy, expiresAt });
      await directory.createApiKey(apiKey, hashApiKey(key), audit);
      return apiKey;
    },
    async revoke(keyId) {
      await directory.revokeApiKey(organizationId, keyId, audit);
    },
    get(resource, parameters = {}, call = fixture.call) {
      const query = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value]]));
      return call(user, 'GET', `/organizations/${organizationId}${resource}`, undefined, { query });
    },
    async page(query, call) {
      const { status, text, body } = await pages.get('/keys', query, call);
      if (status !== 200) throw new Error(`The keys were not listed: ${text}`);
      return body as ApiKeyList;
    },
    async names(query = {}) {
      const all: string[][] = [];
      let cursor: string | null = null;
      do {
        const page: ApiKeyList = await pages.page({ ...query, ...(cursor && { cursor }) });
        all.push(page.data.map(({ name }) => name));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return all;
    },
  };
  return pages;
}
