import { afterEach, expect, it, vi } from 'vitest';
import { putLimits } from '#dashboard/rate-limits/put-limits.ts';

afterEach(() => void vi.unstubAllGlobals());

const limits = { requests_per_minute: 600, tokens_per_minute: null, concurrent: null };

it.each([
  [{ kind: 'owner', owner: { api_key_id: null } }, '/rate-limits', { api_key_id: null }],
  [{ kind: 'owner', owner: { api_key_id: 'key_1' } }, '/rate-limits', { api_key_id: 'key_1' }],
  [{ kind: 'default', name: 'member_keys' }, '/rate-limits/defaults', { for: 'member_keys' }],
] as const)('All three limits of %j are replaced', async (target, resource, owner) => {
  const calls: unknown[] = [];
  vi.stubGlobal('fetch', async (url: string, { method, body }: { method: string; body: string }) => {
    calls.push([method, url, JSON.parse(body)]);
    return Response.json({});
  });

  await putLimits('org_1', target, limits);

  expect(calls).toEqual([['PUT', `/dashboard/api/organizations/org_1${resource}`, { ...owner, ...limits }]]);
});
