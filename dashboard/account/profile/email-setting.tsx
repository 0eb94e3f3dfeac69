import { useState } from 'react';
import { Badge } from '#dashboard/components/badge.tsx';
import { Button } from '#dashboard/components/button.tsx';
import type { Account } from '#lambdas/accounts/sign-in/responses.ts';
import { EmailDialog } from './email-dialog.tsx';

/** The address, with the button to change it or to enter the code of a change that has begun. */
export function EmailSetting({ account }: { account: Account }) {
  const [isOpen, setOpen] = useState(false);
  const { email, pending_email: pendingEmail } = account;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 sm:justify-end">
      <span className="min-w-0 break-all">{email}</span>
      {pendingEmail && <Badge tone="warning">Change pending</Badge>}
      <Button size="small" onClick={() => setOpen(true)}>
        {pendingEmail ? 'Enter code' : 'Change e-mail'}
      </Button>
      <EmailDialog open={isOpen} onOpenChange={setOpen} email={email} pendingEmail={pendingEmail} />
    </span>
  );
}
