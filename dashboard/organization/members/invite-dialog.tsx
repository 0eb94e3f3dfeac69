import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CalendarClock, MailCheck, UserRoundCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ApiError, post } from '#dashboard/api/client.ts';
import { invitationListQuery, organizationPath } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { CopyField } from '#dashboard/components/copying.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { useDraft } from '#dashboard/components/forms/drafts.ts';
import { Form } from '#dashboard/components/forms/form.tsx';
import { useIdempotencyKey } from '#dashboard/components/forms/idempotency.ts';
import { RadioCards } from '#dashboard/components/forms/radio-cards.tsx';
import { checkEmailAddress, TextField } from '#dashboard/components/forms/text-field.tsx';
import { Dialog, DialogActions, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { CloseGuard, useCloseGuard } from '#dashboard/issued-key/close-guard.tsx';
import type { NewInvitation } from '#lambdas/accounts/organizations/responses.ts';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { assignableRoles, describeRole, roleNames } from '../roles.ts';

interface InviteDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Invites somebody by e-mail address and role, then shows the link once. */
export function InviteDialog({ open, onOpenChange }: InviteDialogProps) {
  const { name } = useOrganization();
  const [created, setCreated] = useState<NewInvitation | null>(null);
  // The dialog itself focuses the field when it opens.
  const [isAnother, setAnother] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const guard = useCloseGuard({
    // A link that was mailed is not lost.
    isActive: open && created !== null && !created.mailed && !isCopied,
    onClose: () => onOpenChange(false),
  });
  const startAnew = (another: boolean) => {
    setCreated(null);
    setCopied(false);
    setAnother(another);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => (isOpen ? onOpenChange(true) : guard.requestClose())}
      onClosed={() => startAnew(false)}
      closesOnOutsidePress={created === null}
      question={(popup) => (
        <CloseGuard
          guard={guard}
          subject="the link"
          remedy="Without it, you need to invite once more."
          text={created?.url ?? ''}
          focusAfter={popup}
        />
      )}
      title={created ? 'Invitation created' : `Invite to ${name}`}
      description={created ? undefined : 'Invitations are bound to one e-mail address.'}
    >
      {created ? (
        <InvitationLink
          invitation={created}
          onCopied={() => setCopied(true)}
          onAnother={() => guard.requestClose(() => startAnew(true))}
          onDone={() => guard.requestClose()}
        />
      ) : (
        <InviteForm autoFocus={isAnother} onCreated={setCreated} onCancel={() => onOpenChange(false)} />
      )}
    </Dialog>
  );
}

interface InviteFormProps {
  autoFocus: boolean;
  onCreated: (invitation: NewInvitation) => void;
  onCancel: () => void;
}

function InviteForm({ autoFocus, onCreated, onCancel }: InviteFormProps) {
  const queryClient = useQueryClient();
  const { id: organizationId, role: ownRole } = useOrganization();
  const [email, setEmail] = useDraft('invitation/email', '');
  const [role, setRole] = useDraft<Role>('invitation/role', 'member');
  const idempotency = useIdempotencyKey();
  const invite = useMutation({
    // Returns nothing, since the mutation's cache would keep the link.
    mutationFn: async () => {
      const path = organizationPath(organizationId, '/invitations');
      onCreated(
        await idempotency.send((idempotencyKey) =>
          post(path, { email: email.trim(), role }, { idempotencyKey }),
        ),
      );
      void queryClient.invalidateQueries(invitationListQuery(organizationId));
    },
  });
  // An earlier try has created it, but nobody has seen its link. Another one replaces it.
  if (invite.error instanceof ApiError && invite.error.createdId !== null) {
    return (
      <>
        <Notice tone="danger" role="alert">
          {invite.error.message}
        </Notice>
        <DialogActions>
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant="primary" autoFocus onClick={() => invite.mutateAsync()}>
            Invite again
          </Button>
        </DialogActions>
      </>
    );
  }
  return (
    <Form fields={['email', 'role']} error={invite.error} onSubmit={() => invite.mutateAsync()}>
      <div className="flex flex-col gap-4">
        <TextField
          label="E-mail address"
          name="email"
          value={email}
          onValueChange={setEmail}
          inputMode="email"
          autoComplete="off"
          placeholder="name@example.com"
          validate={checkEmailAddress}
          autoFocus={autoFocus}
        />
        <RadioCards
          label="Role"
          name="role"
          options={assignableRoles(ownRole).map((each) => ({
            value: each,
            label: roleNames[each],
            description: describeRole(each),
          }))}
          value={role}
          onValueChange={setRole}
        />
      </div>
      <FormActions onCancel={onCancel} pending={invite.isPending}>
        Create invitation
      </FormActions>
    </Form>
  );
}

interface InvitationLinkProps {
  invitation: NewInvitation;
  onCopied: () => void;
  onAnother: () => void;
  onDone: () => void;
}

/** The link of a new invitation, which cannot be shown again, and who can use it until when. */
function InvitationLink({ invitation, onCopied, onAnother, onDone }: InvitationLinkProps) {
  const { url, email, mailed, expires_at: expiresAt } = invitation;
  return (
    // Also when the link is copied by other means than the button.
    <div onCopy={onCopied}>
      <CopyField label="Invitation link" text={url} primary onCopied={onCopied} />
      <p className="mt-2 text-[0.8125rem] text-muted">
        {mailed
          ? 'It was also mailed to the address. It is not shown again.'
          : 'Send it yourself: no mail was sent, and it is not shown again.'}
      </p>
      <ul className="mt-5 flex flex-col gap-2.5">
        <IconLine icon={mailed ? <MailCheck aria-hidden /> : <UserRoundCheck aria-hidden />}>
          Only for <strong className="font-medium wrap-anywhere">{email}</strong>
        </IconLine>
        <IconLine icon={<CalendarClock aria-hidden />}>
          Valid once, for 7 days: until <Time value={expiresAt} />
        </IconLine>
      </ul>
      <DialogActions>
        <Button onClick={onAnother}>Invite another</Button>
        <Button onClick={onDone}>Done</Button>
      </DialogActions>
    </div>
  );
}

function IconLine({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2.5 [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted">
      {icon}
      <span className="min-w-0">{children}</span>
    </li>
  );
}
