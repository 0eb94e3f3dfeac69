import { type QueryClient, useQuery } from '@tanstack/react-query';
import { memberListQuery, reloadLists, removalListQuery } from '#dashboard/api/organizations.ts';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Member, MemberRemoval, MemberRemovalList } from '#lambdas/accounts/organizations/responses.ts';

/** Whether the active keys of somebody who leaves are revoked or kept. */
export type KeysChoice = 'revoke' | 'keep';

const reloadMs = 3000;

/** Shows at once that a member is removed, and that their keys are being revoked; then reads what the API has of it. */
export function applyRemoval(
  queryClient: QueryClient,
  organizationId: string,
  { id, name, email, active_keys: keyCount }: Member,
  keys: KeysChoice,
): void {
  queryClient.setQueryData(
    memberListQuery(organizationId).queryKey,
    (list) => list && { ...list, data: list.data.filter((member) => member.id !== id) },
  );
  if (keys === 'revoke' && keyCount > 0) {
    const progress = { removed_at: new Date().toISOString(), revoked_keys: 0, total_keys: keyCount };
    queryClient.setQueryData(
      removalListQuery(organizationId).queryKey,
      (list) =>
        list && {
          ...list,
          data: [...list.data.filter((each) => each.id !== id), { id, name: name ?? email, ...progress }],
        },
    );
  }
  void reloadLists(queryClient, organizationId);
}

/** The interval at which the removals are read again: while keys of removed members are being revoked. */
export function removalReloadMs({ state }: { state: { data?: MemberRemovalList } }): number | false {
  return (state.data?.data.length ?? 0) > 0 ? reloadMs : false;
}

/** The removals whose keys are being revoked; nothing without any. */
export function Removals() {
  const { id } = useOrganization();
  const { data: list } = useQuery({ ...removalListQuery(id), refetchInterval: removalReloadMs });
  return (
    // Always there, so that screen readers announce what appears in it.
    <div role="status" className="flex flex-col gap-3 not-empty:-mb-4 empty:-mb-10">
      {list?.data.map((removal) => (
        <Removal key={removal.id} removal={removal} />
      ))}
    </div>
  );
}

function Removal({ removal }: { removal: MemberRemoval }) {
  const { revoked_keys: revoked, total_keys: total } = removal;
  return (
    <div className="rounded-xl border border-line bg-surface px-5 py-3.5 shadow-card">
      <p className="tabular-nums">{removalText(removal)}</p>
      <svg
        aria-hidden
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        className="mt-2 block h-1.5 w-full overflow-hidden rounded-full bg-selected"
      >
        <rect
          width={total === null ? 0 : (revoked / Math.max(total, 1)) * 100}
          height="1"
          className="fill-accent"
        />
      </svg>
    </div>
  );
}

/** Returns text such as "Revoking the keys of Ada: 1,230 of 4,100". */
export function removalText(
  { name, revoked_keys: revoked, total_keys: total }: MemberRemoval,
  locale?: Intl.LocalesArgument,
): string {
  const subject = `Revoking the keys of ${name ?? 'a removed member'}`;
  if (total === null) return subject;
  return `${subject}: ${formatCount(revoked, locale)} of ${formatCount(total, locale)}`;
}
