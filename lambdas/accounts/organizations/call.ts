import type { Directory } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { AuditTable, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import type { BudgetsTable } from '#lambdas/limits/counters/table.ts';
import type { Log } from '#lambdas/platform/telemetry/log.ts';
import type { AccountsTable } from '../accounts-table.ts';
import type { DashboardRequest } from '../http/request.ts';
import type { DashboardResponse } from '../http/response.ts';
import { apiPath, type PathParameters, type RoutePath } from '../http/router.ts';
import type { Identity } from '../identity.ts';
import type { SendMail } from '../mail.ts';
import type { ProfileStore } from '../members/profiles.ts';
import type { OrganizationMembership } from '../members/require-membership.ts';
import type { MemberStore } from '../members/store.ts';
import type { Permission } from '../permissions.ts';
import type { SessionStore } from '../sessions/store.ts';

/** A call of the page for a signed-in user. */
export interface UserCall extends DashboardRequest {
  user: Identity;
  parameters: PathParameters;
  /** Records changes as made by the user. */
  audit: AuditTrail;
}

/** A call about an organization, of which the user is a member with the permission of the route. */
export interface OrganizationCall extends UserCall, OrganizationMembership {}

type Handler<Request> = (
  request: Request,
  dependencies: OrganizationDependencies,
) => Promise<DashboardResponse>;

export type PublicHandler = Handler<DashboardRequest>;
export type UserHandler = Handler<UserCall>;
export type OrganizationHandler = Handler<OrganizationCall>;

export type Route = RoutePath &
  (
    | { kind: 'public call'; handle: PublicHandler }
    | { kind: 'user call'; handle: UserHandler }
    | {
        /** The path begins with `/dashboard/api/organizations/{organization}`. */
        kind: 'organization call';
        permission: Permission;
        handle: OrganizationHandler;
      }
  );

/** `path` is below that of the organization, such as `/keys/{key}`, or empty. */
export function organizationRoute(
  method: RoutePath['method'],
  path: string,
  permission: Permission,
  handle: OrganizationHandler,
): Route {
  const kind = 'organization call';
  return { method, path: `${apiPath}/organizations/{organization}${path}`, kind, permission, handle };
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
  sessions: SessionStore;
  members: MemberStore;
  profiles: ProfileStore;
  directory: Directory;
  /** The table of the directory, which also has the budgets. */
  directoryTable: DirectoryTable;
  /** The counters of the budgets. */
  budgets: BudgetsTable;
  costRollups: CostRollupsTable;
  auditTable: AuditTable;
  /** `null` without a sender: invitations are then only links. */
  sendMail: SendMail | null;
  now(): Date;
  log: Log;
}
