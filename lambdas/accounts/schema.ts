import { canonicalAddress } from './email-address.ts';

/** The keys of the Accounts table. Used by the stack that creates it and the code that reads it. */
export const accountsSchema = { partitionKey: 'pk', sortKey: 'sk', expiry: 'expires_at' } as const;

/** Sessions, the profile, and pointers to the memberships of a user. */
export function userPartition(userId: string): string {
  return `user#${userId}`;
}

/** Members and invitations of an organization. */
export function organizationPartition(organizationId: string): string {
  return `organization#${organizationId}`;
}

/** The invitations of an e-mail address, however it is spelled. */
export function addressPartition(email: string): string {
  return `email#${canonicalAddress(email)}`;
}

/** The removed members whose keys are still to be revoked, in the Directory table. */
export const keyRevocationsPartition = 'key-revocations';
