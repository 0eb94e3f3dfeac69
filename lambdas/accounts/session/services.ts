import type { OrganizationReader } from '#lambdas/access/directory.ts';
import type { AuditTable } from '#lambdas/audit/audit-trail.ts';
import type { Log } from '#lambdas/platform/log.ts';
import type { IsInvited } from '../invitations/invited-addresses.ts';
import type { ProfileStore } from '../members/profiles.ts';
import type { MemberStore } from '../members/store.ts';
import type { SessionStore } from '../sessions/store.ts';
import type { UserApi } from './account/user-api.ts';
import type { DashboardSettings } from './settings.ts';
import type { OpenIdProvider } from './sign-in/provider.ts';

/** Everything that the routes use. Most requests only read a session, so the libraries load on first use. */
export interface SessionServices {
  settings: DashboardSettings;
  sessions: SessionStore;
  profiles: ProfileStore;
  members: MemberStore;
  directory: Pick<OrganizationReader, 'findOrganization'>;
  auditTable: AuditTable;
  isInvited: IsInvited;
  loadProvider(): Promise<OpenIdProvider>;
  loadUserApi(): Promise<UserApi>;
  now(): Date;
  wait(milliseconds: number): Promise<void>;
  log: Log;
}
