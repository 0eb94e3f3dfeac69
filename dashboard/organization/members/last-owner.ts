import type { Member } from '#lambdas/accounts/organizations/responses.ts';

/** Whether the member is the only owner, who can neither leave nor get another role. */
export function isLastOwner(members: readonly Member[], member: Member): boolean {
  return member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1;
}
