/** Calls of the function `Organizations` by users with a session, at the simulated time. */
import type { OrganizationDependencies } from '#lambdas/accounts/organizations/call.ts';
import { createOrganizationsHandler } from '#lambdas/accounts/organizations/handler.ts';
import { sendUncheckedRequest } from '#test/support/accounts/api-event.ts';
import type { OrganizationsFixture, TestUser } from '#test/support/accounts/organizations-fixture.ts';
import type { SimulatedTime } from './simulated-time.ts';

export interface Caller {
  dependencies: OrganizationDependencies;
  /** `path` is relative to `/dashboard/api`. Resolves to the body; rejects if the status is another one. */
  call(
    user: TestUser,
    method: string,
    path: string,
    options?: { query?: Record<string, string>; body?: unknown; status?: number },
  ): Promise<unknown>;
}

export function createCaller(fixture: OrganizationsFixture, time: SimulatedTime): Caller {
  const now = () => new Date(fixture.clock.nowMs + time.nowMs);
  const dependencies = { ...fixture.dependencies, now };
  const handle = createOrganizationsHandler(dependencies);
  return {
    dependencies,
    async call(user, method, path, { query = {}, body, status: expected = 200 } = {}) {
      const response = await sendUncheckedRequest(handle, {
        method,
        path,
        body,
        cookies: user.cookies,
        headers: { 'x-dashboard': '1' },
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
      });
      if (response.status === expected) return response.body;
      throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    },
  };
}
