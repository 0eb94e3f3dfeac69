import { useQuery } from '@tanstack/react-query';
import { Building2 } from 'lucide-react';
import { accountQuery } from '#dashboard/api/sign-in.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { AuthenticatorApp } from './authenticator-app.tsx';
import { Passkeys } from './passkeys.tsx';

export function SecurityView() {
  const account = useQuery(accountQuery);
  return (
    <Page title="Security" description="Ways to sign in, and a second step that protects them.">
      {account.data === undefined ? (
        <Card>
          <QueryStatus query={account} skeleton={<Skeleton className="m-5 h-28" />} />
        </Card>
      ) : account.data.identity_provider ? (
        <Card>
          <EmptyState icon={Building2} title={`You sign in with ${account.data.identity_provider}`}>
            Passkeys and second steps of your account are set up there. Nothing needs to be done here.
          </EmptyState>
        </Card>
      ) : (
        <>
          <Passkeys account={account.data} />
          <AuthenticatorApp account={account.data} />
        </>
      )}
    </Page>
  );
}
