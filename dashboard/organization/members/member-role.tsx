import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { type ComponentProps, type RefObject, useState } from 'react';
import { isSessionEnded, patch } from '#dashboard/api/client.ts';
import {
  memberListQuery,
  organizationListQuery,
  organizationPath,
  organizationQuery,
} from '#dashboard/api/organizations.ts';
import { notifyFailure, notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { Menu, MenuChoice } from '#dashboard/components/overlay/menu.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Member } from '#lambdas/accounts/organizations/responses.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { assignableRoles, describeRole, roleNames, withArticle } from '../roles.ts';

interface MemberRoleProps {
  member: Member;
  /** Takes the focus when the user's own role no longer allows a change. */
  focusAfter: RefObject<HTMLElement | null>;
}

/** The role of a member, which can be changed. Far-reaching changes are confirmed first. */
export function MemberRole({ member, focusAfter }: MemberRoleProps) {
  const queryClient = useQueryClient();
  const { id: organizationId, role: ownRole } = useOrganization();
  const [confirming, setConfirming] = useState<Role | null>(null);
  const name = member.name ?? member.email;

  const change = async (role: Role) => {
    const path = organizationPath(organizationId, `/members/${encodeURIComponent(member.id)}`);
    await patch(path, { role });
    await Promise.all([
      queryClient.invalidateQueries(memberListQuery(organizationId)),
      member.current && queryClient.invalidateQueries(organizationQuery(organizationId)),
      member.current && queryClient.invalidateQueries({ ...organizationListQuery, exact: true }),
    ]);
    notifySuccess(`${member.current ? 'You are' : `${name} is`} now ${withArticle(role)}`);
  };
  const immediateChange = useMutation({
    mutationFn: change,
    onError: (error) => !isSessionEnded(error) && notifyFailure(error.message),
  });

  const choose = (role: Role) => {
    if (role === member.role) return;
    if (needsConfirmation(member, role)) setConfirming(role);
    else immediateChange.mutate(role);
  };

  const shownRole = immediateChange.isPending ? immediateChange.variables : member.role;

  return (
    <div className="-mx-2">
      <Menu width="wider" align="start" trigger={<Trigger name={name} role={shownRole} />}>
        <MenuChoice
          label={`Role of ${name}`}
          options={assignableRoles(ownRole).map((role) => ({
            value: role,
            label: roleNames[role],
            description: describeRole(role),
          }))}
          value={shownRole}
          onValueChange={choose}
        />
      </Menu>
      <ConfirmDialog
        subject={confirming}
        onClose={() => setConfirming(null)}
        title={member.current ? 'Change your own role?' : `Change the role of ${name}?`}
        description={(role) => explain(member, role)}
        confirmLabel="Change role"
        confirmVariant="primary"
        confirm={change}
        focusAfter={focusAfter}
      />
    </div>
  );
}

function Trigger({ name, role, ...props }: { name: string; role: Role } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...props}
      className="flex h-8 items-center gap-1.5 rounded-md border border-transparent px-2 transition-colors hover:border-control hover:bg-raised data-popup-open:border-control data-popup-open:bg-raised"
    >
      <span className="sr-only">Role of {name}: </span>
      {roleNames[role]}
      <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
    </button>
  );
}

/** Whether a change is far-reaching. */
export function needsConfirmation(member: Member, role: Role): boolean {
  return member.current || role === 'owner' || member.role === 'owner';
}

/** Returns the effect of a change that is confirmed first. */
export function explain(member: Member, role: Role): string {
  const name = member.name ?? member.email;
  if (member.current)
    return `You become ${withArticle(role)}, and can no longer undo this yourself. Another ${member.role} can.`;
  if (role === 'owner')
    return `${name} may then also remove you, and delete the organization with all its keys.`;
  return `${name} becomes ${withArticle(role)}, and may no longer manage owners, rename or delete the organization, or read the audit trail.`;
}
