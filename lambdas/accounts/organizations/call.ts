import type { Directory } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import {
  type AuditGuard,
  type AuditTable,
  type AuditTrail,
  createAuditTrail,
} from '#lambdas/audit/audit-trail.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import type { BudgetCountersTable } from '#lambdas/limits/counters/table.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Log } from '#lambdas/platform/telemetry/log.ts';
import type { AccountsTable } from '../accounts-table.ts';
import type { DashboardRequest } from '../http/request.ts';
import type { BodyOf } from '../http/response.ts';
import { apiPath, type RoutePath } from '../http/router.ts';
import type { Identity } from '../identity.ts';
import type { SendMail } from '../mail.ts';
import { membershipCheck } from '../members/store.ts';
import type { MemberCall, RouteHandler, Route as RouteOf, SignedInCall } from '../organization-calls/call.ts';
import type { Permission } from '../permissions.ts';
import type { OrganizationsResponses } from './responses.ts';

/** `SignedInCall` with the audit trail of the user. */
export interface UserCall extends SignedInCall {
  /** Records changes as made by the user. */
  audit: AuditTrail;
}

/** `MemberCall` with the audit trail of the user. */
export interface OrganizationCall extends UserCall, MemberCall {}

export type Route = RouteOf<OrganizationDependencies>;
export type PublicHandler<Body> = RouteHandler<DashboardRequest, OrganizationDependencies, Body>;
export type UserHandler<Body> = RouteHandler<UserCall, OrganizationDependencies, Body>;
export type OrganizationHandler<Body> = RouteHandler<OrganizationCall, OrganizationDependencies, Body>;

type Body<Name extends string> = BodyOf<OrganizationsResponses, Name>;

/** `path` is below `/dashboard/api`. */
export function userRoute<Method extends RoutePath['method'], Path extends string>(
  method: Method,
  path: Path,
  handle: UserHandler<Body<`${Method} ${Path}`>>,
): Route {
  return {
    method,
    path: apiPath + path,
    kind: 'user call',
    handle: (call, dependencies) =>
      handle({ ...call, audit: createUserAuditTrail(call.user, dependencies) }, dependencies),
  };
}

/** `path` is below that of the organization, such as `/keys/{key}`, or empty. */
export function organizationRoute<Method extends RoutePath['method'], Path extends string>(
  method: Method,
  path: Path,
  permission: Permission,
  handle: OrganizationHandler<Body<`${Method} /organizations/{organization}${Path}`>>,
): Route {
  return {
    method,
    path: `${apiPath}/organizations/{organization}${path}`,
    kind: 'organization call',
    permission,
    handle(call, dependencies) {
      // Aborts if the caller's membership changed during the call.
      const check = membershipCheck(dependencies.accounts, call.membership);
      const guard = { check, error: membershipChangedError };
      return handle({ ...call, audit: createUserAuditTrail(call.user, dependencies, guard) }, dependencies);
    },
  };
}

function createUserAuditTrail(
  { id, name, email }: Identity,
  { auditTable, now }: OrganizationDependencies,
  guard?: AuditGuard,
): AuditTrail {
  return createAuditTrail(auditTable, { type: 'user', id, name, email }, now, guard);
}

function membershipChangedError(): GatewayError {
  return new GatewayError('conflict', {
    message: 'Your role in this organization has changed in the meantime: reload the page',
  });
}

export interface OrganizationSettings {
  /** Without a trailing slash, like `apiBaseUrl`. */
  dashboardOrigin: string;
  apiBaseUrl: string;
  /** Addresses and domains that may create organizations; `*` stands for all. */
  organizationCreators: readonly string[];
  entryRetentionDays: number;
}

/** Everything that the routes use. */
export interface OrganizationDependencies {
  settings: OrganizationSettings;
  accounts: AccountsTable;
  directory: Directory;
  /** The table of the directory, which also has the budgets. */
  directoryTable: DirectoryTable;
  /** The counters of the budgets. */
  budgetCounters: BudgetCountersTable;
  costRollups: CostRollupsTable;
  auditTable: AuditTable;
  /** `null` without a sender: invitations are then only links. */
  sendMail: SendMail | null;
  now(): Date;
  log: Log;
}
