/** The function `Organizations` with embedded tables and a clock, called by users with a session. */

import { randomUUID } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { Identity } from '#lambdas/accounts/identity.ts';
import type { Mail } from '#lambdas/accounts/mail.ts';
import { saveProfile } from '#lambdas/accounts/members/profiles.ts';
import { joinItems } from '#lambdas/accounts/members/store.ts';
import type { OrganizationDependencies } from '#lambdas/accounts/organizations/call.ts';
import { createOrganizationsHandler } from '#lambdas/accounts/organizations/handler.ts';
import type { OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { sessionLifetimeSeconds, setSessionCookie } from '#lambdas/accounts/sessions/active-session.ts';
import { insertSession } from '#lambdas/accounts/sessions/store.ts';
import { createSessionToken } from '#lambdas/accounts/sessions/token.ts';
import { type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { readAuditTrail } from '#lambdas/audit/read.ts';
import type { AuditRecord } from '#lambdas/audit/record.ts';
import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { collectLogLines, type LogLine, withoutCommonFields } from '#test/support/log-lines.ts';
import type { EmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { type ApiRequest, type ApiResponse, sendApiRequest } from './api-event.ts';
import { createTableOf, dashboardOrigin, startMs } from './dashboard-fixture.ts';

/** A user with a session. */
export interface TestUser extends Identity {
  cookies: [name: string, value: string][];
}

export interface OrganizationsFixture {
  dependencies: OrganizationDependencies;
  /** Sessions are due for their renewal after an hour: sign in again after moving it. */
  clock: { nowMs: number };
  lines: LogLine[];
  mails: Mail[];
  /** `name@example.com` for the name, unless `fields` say otherwise; the same user again with the same id. */
  signIn(name: string, fields?: Partial<Identity>): Promise<TestUser>;
  /** Without a session for `null`. `path` is relative to `/dashboard/api`. */
  call(
    user: TestUser | null,
    method: string,
    path: string,
    body?: unknown,
    options?: Pick<ApiRequest, 'headers' | 'query'>,
  ): Promise<ApiResponse>;
  createOrganization(owner: TestUser, name?: string): Promise<OrganizationDetails>;
  /** Without an invitation and its audit records. */
  join(organizationId: string, user: TestUser, role: Role): Promise<void>;
  auditOf(user: TestUser): AuditTrail;
  /** Oldest first; records of the same millisecond by their action. */
  auditRecords(organizationId: string): Promise<AuditRecord[]>;
  /** Calls a function with other dependencies. */
  callWith(changes: Partial<OrganizationDependencies>): OrganizationsFixture['call'];
}

export const apiBaseUrl = 'https://api.example';

export async function startOrganizationsFixture(database: EmbeddedDynamoDB): Promise<OrganizationsFixture> {
  const accounts = await createTableOf(database, 'Accounts', ['pk', 'sk']);
  const directoryTable = await createTableOf(database, 'Directory', ['pk', 'sk']);
  const budgetCounters = await createTableOf(database, 'BudgetCounters', ['counter_key']);
  const costRollups = await createTableOf(database, 'CostRollups', ['pk', 'sk']);
  const auditTrail = await createTableOf(database, 'AuditTrail', ['organization_id', 'id']);
  const auditTable = { ...auditTrail, retentionDays: 400 };
  const clock = { nowMs: startMs };
  const lines: LogLine[] = [];
  const mails: Mail[] = [];
  const dependencies: OrganizationDependencies = {
    settings: {
      dashboardOrigin,
      apiBaseUrl,
      organizationCreators: ['example.com'],
      entryRetentionDays: 90,
    },
    accounts,
    directory: createDirectoryStore(directoryTable),
    directoryTable,
    budgetCounters,
    costRollups,
    auditTable,
    sendMail: async (mail) => void mails.push(mail),
    now: () => new Date(clock.nowMs),
    log: collectLogLines((line) => lines.push(withoutCommonFields(JSON.parse(line)))),
  };
  const callFunction =
    (handle: ProxyHandler): OrganizationsFixture['call'] =>
    (user, method, path, body, options = {}) =>
      sendApiRequest(handle, {
        method,
        path,
        body,
        cookies: user?.cookies,
        ...options,
        headers: { 'x-dashboard': '1', ...options.headers },
      });
  const call = callFunction(createOrganizationsHandler(dependencies));

  return {
    dependencies,
    clock,
    lines,
    mails,
    call,
    callWith: (changes) => callFunction(createOrganizationsHandler({ ...dependencies, ...changes })),

    async signIn(name, fields = {}) {
      const identity: Identity = {
        id: randomUUID(),
        email: `${name.toLowerCase()}@example.com`,
        name,
        identityProvider: null,
        ...fields,
      };
      const token = createSessionToken(identity.id);
      const now = new Date(clock.nowMs).toISOString();
      await saveProfile(accounts, identity);
      await insertSession(accounts, {
        hash: token.hash,
        identity,
        pendingEmail: null,
        userAgent: null,
        signedInAt: now,
        lastRenewedAt: now,
        expiresAt: Math.floor(clock.nowMs / 1000) + sessionLifetimeSeconds,
        leaseUntilMs: 0,
        // This function does not open them.
        sealedTokens: new Uint8Array([0]),
      });
      const [cookieName = '', value = ''] = setSessionCookie(token).split(/[=;]/);
      return { ...identity, cookies: [[cookieName, value]] };
    },

    async createOrganization(owner, name = 'Acme') {
      const { status, body, text } = await call(owner, 'POST', '/organizations', { name });
      if (status !== 200) throw new Error(`The organization was not created: ${text}`);
      return body as OrganizationDetails;
    },

    async join(organizationId, { id: userId }, role) {
      const joinedAt = new Date(clock.nowMs).toISOString();
      const TransactItems = joinItems(accounts, { organizationId, userId, role, joinedAt });
      await accounts.client.send(new TransactWriteCommand({ TransactItems }));
    },

    auditOf: ({ id, name, email }) =>
      createAuditTrail(auditTable, { type: 'user', id, name, email }, dependencies.now),

    async auditRecords(organizationId) {
      const { records } = await readAuditTrail(auditTable, { organizationId, limit: 1000 });
      return records.sort((one, other) => sortKeyOf(one).localeCompare(sortKeyOf(other)));
    },
  };
}

function sortKeyOf({ at, action }: AuditRecord): string {
  return `${at} ${action}`;
}
