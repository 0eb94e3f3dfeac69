import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useRef, useState } from 'react';
import { removeIfPresent } from '#dashboard/api/client.ts';
import { invitationListQuery, memberListQuery, organizationPath } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { useHasDraft } from '#dashboard/components/forms/drafts.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Invitation, InvitationList } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { RoleBadge } from '../role-badge.tsx';
import { assignableRoles } from '../roles.ts';
import { Members } from './members.tsx';
import { Removals } from './removals.tsx';

const InviteDialog = lazyComponent(() => import('./invite-dialog.tsx'), 'InviteDialog');

export function MembersView() {
  const { id, name, role } = useOrganization();
  const members = useQuery(memberListQuery(id));
  const mayInvite = isAllowed(role, 'manage_members');
  const invitations = useQuery({ ...invitationListQuery(id), enabled: mayInvite });
  const [isInviting, setInviting] = useState(useHasDraft('invitation'));
  const { invite } = useSearch({ from: '/shell/organizations/$organizationId/members' });
  const navigate = useNavigate({ from: '/organizations/$organizationId/members' });
  const isOpen = mayInvite && (isInviting || invite !== undefined);
  const changeInviting = (open: boolean) => {
    setInviting(open);
    if (invite !== undefined) void navigate({ to: '.', search: {}, replace: true });
  };
  return (
    <Page
      title="Members"
      description={`Who has access to ${name}, and what they may do.`}
      action={
        mayInvite && (
          <Button variant="primary" onClick={() => setInviting(true)}>
            <UserPlus aria-hidden />
            Invite member
          </Button>
        )
      }
    >
      <Removals />
      <Members query={members} />
      {/* Only below a list whose height is known, so that it does not move. */}
      {mayInvite && !members.isPending && <PendingInvitations query={invitations} />}
      <OnceOpened open={isOpen}>
        <InviteDialog open={isOpen} onOpenChange={changeInviting} />
      </OnceOpened>
    </Page>
  );
}

/** The invitations that can still be accepted. */
function PendingInvitations({ query }: { query: UseQueryResult<InvitationList> }) {
  const queryClient = useQueryClient();
  const { id: organizationId, role } = useOrganization();
  const heading = useRef<HTMLHeadingElement>(null);
  const [revoking, setRevoking] = useState<Invitation | null>(null);

  const revoke = async ({ id, email }: Invitation) => {
    await removeIfPresent(organizationPath(organizationId, `/invitations/${encodeURIComponent(id)}`));
    await queryClient.invalidateQueries(invitationListQuery(organizationId));
    notifySuccess(`The invitation for ${email} has been revoked`);
  };
  const columns: [Column<Invitation>, ...Column<Invitation>[]] = [
    { title: 'Address', cell: ({ email }) => <span className="wrap-anywhere">{email}</span> },
    { title: 'Role', cell: (invitation) => <RoleBadge role={invitation.role} /> },
    {
      title: 'Invited by',
      cell: (invitation) => <span className="min-w-0 wrap-anywhere">{invitation.created_by.name}</span>,
    },
    { title: 'Expires', cell: (invitation) => <Time value={invitation.expires_at} format="date" /> },
    {
      title: 'Action',
      hiddenTitle: true,
      align: 'end',
      cell: (invitation) =>
        assignableRoles(role).includes(invitation.role) && (
          <Button
            size="small"
            aria-label={`Revoke the invitation for ${invitation.email}`}
            onClick={() => setRevoking(invitation)}
          >
            Revoke
          </Button>
        ),
    },
  ];

  return (
    <Section
      title="Pending invitations"
      description="A link can be used once, within 7 days, by the address that it is for."
      headingRef={heading}
    >
      <QueryPanel query={query} skeleton={<TableSkeleton rows={1} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="px-5 py-6 text-center text-muted">Nobody is invited at the moment.</p>
          ) : (
            <Table label="Pending invitations" columns={columns} items={data} itemKey={({ id }) => id} />
          )
        }
      </QueryPanel>
      <ConfirmDialog
        subject={revoking}
        onClose={() => setRevoking(null)}
        title="Revoke this invitation?"
        description={({ email }) => (
          <>
            The link for <strong className="font-medium text-text wrap-anywhere">{email}</strong> stops
            working at once.
          </>
        )}
        confirmLabel="Revoke invitation"
        confirm={revoke}
        focusAfter={heading}
      />
    </Section>
  );
}
