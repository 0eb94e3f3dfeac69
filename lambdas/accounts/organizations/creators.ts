/** The people who have created or revoked something, as other members see them. */
import type { Creator } from '#lambdas/audit/record.ts';
import { findProfiles } from '../members/profiles.ts';
import { findRoles } from '../members/store.ts';
import type { OrganizationDependencies } from './call.ts';
import type { CreatorSummary } from './responses.ts';

export type SummarizeCreator = (creator: Creator) => CreatorSummary;

/** Reads the profiles of the creators who are members: others keep the name that is stored with what they did. */
export async function readCreators(
  { accounts }: Pick<OrganizationDependencies, 'accounts'>,
  organizationId: string,
  creators: readonly Creator[],
): Promise<SummarizeCreator> {
  const userIds = new Set(creators.filter(({ type }) => type === 'user').map(({ id }) => id));
  const roles = await findRoles(accounts, organizationId, [...userIds]);
  const profileById = await findProfiles(accounts, [...roles.keys()]);
  return (creator) => {
    const { type, id, name } = creator;
    if (type === 'operator') return storedCreator(creator);
    const profile = profileById.get(id);
    return { id, name: profile?.name ?? profile?.email ?? name, active: roles.has(id) };
  };
}

/** Without looking up whether a user is still a member. */
export const storedCreator: SummarizeCreator = ({ type, id, name }) =>
  type === 'operator' ? { id: null, name: lastPartOfArn(id), active: true } : { id, name, active: true };

/** Such as the name of the session of `arn:aws:sts::111122223333:assumed-role/Admin/ada`. */
function lastPartOfArn(arn: string): string {
  return arn.split(/[:/]/).at(-1) ?? arn;
}
