/** The people who have created or revoked something, as other members see them. */
import type { Creator } from '#lambdas/audit/record.ts';
import type { CreatorSummary } from '../responses.ts';
import type { OrganizationServices } from '../services.ts';

export type SummarizeCreator = (creator: Creator) => CreatorSummary;

/** Reads the members and the profiles of the creators. */
export async function readCreators(
  { members, profiles }: Pick<OrganizationServices, 'members' | 'profiles'>,
  organizationId: string,
  creators: readonly Creator[],
): Promise<SummarizeCreator> {
  const userIds = new Set(creators.filter(({ type }) => type === 'user').map(({ id }) => id));
  const [memberships, profileById] = await Promise.all([
    members.listOfOrganization(organizationId),
    profiles.findAll([...userIds]),
  ]);
  const memberIds = new Set(memberships.map(({ userId }) => userId));
  return ({ type, id, name }) => {
    if (type === 'operator') return { id: null, name: lastPartOfArn(id), active: true };
    const profile = profileById.get(id);
    return { id, name: profile?.name ?? profile?.email ?? name, active: memberIds.has(id) };
  };
}

/** Such as the name of the session of `arn:aws:sts::111122223333:assumed-role/Admin/ada`. */
function lastPartOfArn(arn: string): string {
  return arn.split(/[:/]/).at(-1) ?? arn;
}
