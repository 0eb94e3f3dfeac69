import type { DirectoryReader } from '#lambdas/access/directory.ts';
import type { AuditTable } from '#lambdas/audit/audit-trail.ts';
import type { Log } from '#lambdas/platform/telemetry/log.ts';
import type { AccountsTable } from '../accounts-table.ts';
import type { DashboardRequest } from '../http/request.ts';
import type { DashboardResponse } from '../http/response.ts';
import type { PathParameters } from '../http/router.ts';
import type { ActiveSession } from '../sessions/active-session.ts';
import type { SignUpSettings } from '../sign-up/rules.ts';
import type { UserApi } from './account/user-api.ts';
import type { OpenIdProvider } from './provider.ts';

/** A call of the page for a signed-in user. */
interface Call extends DashboardRequest {
  session: ActiveSession;
  parameters: PathParameters;
}

export type PublicHandler<Body = unknown> = (
  request: DashboardRequest,
  dependencies: SignInDependencies,
) => Promise<DashboardResponse<Body>>;
export type CallHandler<Body = unknown> = (
  call: Call,
  dependencies: SignInDependencies,
) => Promise<DashboardResponse<Body>>;

/** Everything that the routes use. Most requests only read a session, so the libraries load on first use. */
export interface SignInDependencies {
  settings: DashboardSettings;
  accounts: AccountsTable;
  directory: Pick<DirectoryReader, 'findOrganization'>;
  auditTable: AuditTable;
  loadProvider(): Promise<OpenIdProvider>;
  loadUserApi(): Promise<UserApi>;
  now(): Date;
  wait(milliseconds: number): Promise<void>;
  log: Log;
}

export interface DashboardSettings extends SignUpSettings {
  /** Such as `https://d111111abcdef8.cloudfront.net`, where the page and its API are. */
  dashboardOrigin: string;
  /** The origin of managed login. */
  signInOrigin: string;
  clientId: string;
  requireMfa: boolean;
}

export const callbackPath = '/dashboard/api/callback';
