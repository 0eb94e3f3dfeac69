import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { lazy, useState } from 'react';
import { invitationListQuery, memberListQuery } from '#dashboard/api/queries.ts';
import { Button } from '#dashboard/components/button.tsx';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { PendingInvitations } from './invitations/pending-invitations.tsx';
import { Members } from './members.tsx';

const InviteDialog = lazy(() =>
  import('./invitations/invite-dialog.tsx').then((module) => ({ default: module.InviteDialog })),
);

export function MembersView() {
  const { id, name, role } = useOrganization();
  const members = useQuery(memberListQuery(id));
  const mayInvite = isAllowed(role, 'manage_members');
  const invitations = useQuery({ ...invitationListQuery(id), enabled: mayInvite });
  const [isInviting, setInviting] = useState(false);
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
      <Members query={members} />
      {/* Only below a list whose height is known, so that it does not move. */}
      {mayInvite && !members.isPending && <PendingInvitations query={invitations} />}
      <OnceOpened open={isInviting}>
        <InviteDialog open={isInviting} onOpenChange={setInviting} />
      </OnceOpened>
    </Page>
  );
}
