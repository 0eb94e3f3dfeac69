import type { AuditAction, AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import type { Role } from '../permissions.ts';
import type { Profile } from './profiles.ts';

/** A user's place in an organization. */
export interface Membership {
  organizationId: string;
  userId: string;
  role: Role;
  /** RFC 3339. */
  joinedAt: string;
}

type MemberAction = Extract<AuditAction, `member.${string}`>;

/** `profile` is `null` for a user whose account is deleted. */
export function memberEvent(
  action: MemberAction,
  { organizationId, userId: id }: Membership,
  profile: Pick<Profile, 'name' | 'email'> | null,
  values: { before: AuditValues | null; after: AuditValues | null },
): AuditEvent {
  const name = profile && (profile.name ?? profile.email);
  return { action, organizationId, target: { type: 'member', id, name }, ...values };
}
