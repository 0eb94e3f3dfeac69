import { CalendarClock, MailCheck, UserRoundCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { CopyField } from '#dashboard/components/copying.tsx';
import { DialogActions } from '#dashboard/components/overlay/dialog.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import type { NewInvitation } from '#lambdas/accounts/organizations/responses.ts';

interface InvitationLinkProps {
  invitation: NewInvitation;
  onAnother: () => void;
  onDone: () => void;
}

/** The link of a new invitation, which cannot be shown again, and who can use it until when. */
export function InvitationLink({ invitation, onAnother, onDone }: InvitationLinkProps) {
  const { url, email, mailed, expires_at: expiresAt } = invitation;
  return (
    <>
      <CopyField label="Invitation link" text={url} primary />
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
    </>
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
