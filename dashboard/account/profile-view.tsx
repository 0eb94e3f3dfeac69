import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { patch } from '#dashboard/api/client.ts';
import { accountQuery } from '#dashboard/api/sign-in.ts';
import { Badge } from '#dashboard/components/badge.tsx';
import { Button } from '#dashboard/components/button.tsx';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { NameForm } from '#dashboard/components/forms/name-form.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Row, Section } from '#dashboard/components/section.tsx';
import type { Account } from '#lambdas/accounts/sign-in/responses.ts';
import { applyAccount } from './apply-account.ts';
import { DeleteAccount } from './delete-account.tsx';
import { EmailDialog } from './email-dialog.tsx';
import { TimeZoneSetting } from './time-zone-setting.tsx';

const descriptions = {
  name: 'How you appear to others.',
  email: 'For signing in and for codes.',
  timeZone: 'For all times on all pages. Billing stays in UTC.',
  id: 'Quote it when you ask the operator for help.',
};

export function ProfileView() {
  const account = useQuery(accountQuery);
  return (
    <Page title="Profile" description="Your details and how you sign in.">
      <Section title="Details">
        <QueryPanel query={account} skeleton={<DetailsSkeleton />}>
          {(data) => <Details account={data} />}
        </QueryPanel>
      </Section>
      {account.data && <DeleteAccount email={account.data.email} />}
    </Page>
  );
}

function Details({ account }: { account: Account }) {
  const { name, email, pending_email: pendingEmail, identity_provider: company } = account;
  const managedBy = company && `Managed by ${company}.`;
  const awaitsCode = pendingEmail && `${pendingEmail} awaits its code.`;
  return (
    <>
      <Row label="Name" description={managedBy ?? descriptions.name}>
        {company ? <span className="break-words">{name ?? '–'}</span> : <OwnName name={name} />}
      </Row>
      <Row label="E-mail" description={managedBy ?? awaitsCode ?? descriptions.email}>
        {company ? <span className="break-all">{email}</span> : <EmailSetting account={account} />}
      </Row>
      <Row label="Time zone" description={descriptions.timeZone}>
        <TimeZoneSetting />
      </Row>
      <Row label="Sign-in method">{company ?? 'E-mail and password'}</Row>
      <Row label="User ID" description={descriptions.id}>
        <span className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 font-mono text-xs break-all text-muted sm:text-[0.8125rem]">
            {account.id}
          </code>
          <CopyButton label="Copy user ID" text={account.id} />
        </span>
      </Row>
    </>
  );
}

function DetailsSkeleton() {
  return (
    <>
      <Row label="Name" description={descriptions.name}>
        <Skeleton className="h-9 w-72" />
      </Row>
      <Row label="E-mail" description={descriptions.email}>
        <Skeleton className="h-8 w-64" />
      </Row>
      <Row label="Time zone" description={descriptions.timeZone}>
        <Skeleton className="h-8 w-64" />
      </Row>
      <Row label="Sign-in method">
        <Skeleton className="h-5 w-36" />
      </Row>
      <Row label="User ID" description={descriptions.id}>
        <Skeleton className="h-8 w-72" />
      </Row>
    </>
  );
}

function OwnName({ name }: { name: string | null }) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (newName: string) => patch('/account', { name: newName }),
    onSuccess: (account) => {
      applyAccount(queryClient, account);
      notifySuccess('Your name has been saved');
    },
  });
  return (
    <NameForm
      name={name}
      autoComplete="name"
      placeholder="Your name"
      of="person"
      error={save.error}
      isPending={save.isPending}
      onSave={save.mutateAsync}
    />
  );
}

/** The address, with the button to change it or to enter the code of a change that has begun. */
function EmailSetting({ account }: { account: Account }) {
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
