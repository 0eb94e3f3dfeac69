import type { Role } from '../permissions.ts';

/** A user's place in an organization. */
export interface Membership {
  organizationId: string;
  userId: string;
  role: Role;
  /** RFC 3339. */
  joinedAt: string;
}
