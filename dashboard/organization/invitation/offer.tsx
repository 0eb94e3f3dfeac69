import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, isSessionEnded, post, remove } from '#dashboard/api/client.ts';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { OrganizationAvatar } from '#dashboard/components/avatar.tsx';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import { leaveAndReturn, signInUrl } from '#dashboard/shell/sign-in-service.ts';
import { isSameAddress } from '#lambdas/accounts/email-address.ts';
import type { InvitationOffer } from '#lambdas/accounts/organizations/responses.ts';
import type { User } from '#lambdas/accounts/sign-in/responses.ts';
import { describeRoleAlone, roleNames } from '../roles.ts';
import { UsedInvitation } from './unusable.tsx';

interface OfferProps {
  token: string;
  offer: InvitationOffer;
  /** Null for people who are not signed in. */
  user: User | null;
}

/** The inviter, the organization and the role, with the way to accept. */
export function Offer({ token, offer, user }: OfferProps) {
  const {
    state,
    organization_name: organization,
    invited_by: inviter,
    role,
    email,
    expires_at: expiresAt,
  } = offer;
  if (state !== 'pending') return <UsedInvitation offer={offer} state={state} />;
  return (
    <div className="px-6 pt-8 pb-6">
      <div className="flex flex-col items-center text-center">
        {/* The token begins with the organization's id, which decides on the colour. */}
        <OrganizationAvatar
          organization={{ id: token.split('.')[0] ?? '', name: organization }}
          size="large"
        />
        <h1
          tabIndex={-1}
          className="mt-5 max-w-full text-[1.375rem]/7 font-semibold tracking-[-0.02em] wrap-anywhere"
        >
          Join {organization}
        </h1>
        <p className="mt-1.5 max-w-full wrap-anywhere text-muted">
          {inviter} invites you to this organization.
        </p>
      </div>
      <dl className="mt-6 divide-y divide-line rounded-lg border border-line">
        <Term term="For">
          <span className="wrap-anywhere">{email}</span>
        </Term>
        <Term term="Role">
          {roleNames[role]}
          <span className="block text-[0.8125rem] font-normal text-muted">{describeRoleAlone(role)}</span>
        </Term>
        <Term term="Valid until">
          <Time value={expiresAt} />
        </Term>
      </dl>
      <div className="mt-6">
        {user === null ? (
          <SignIn email={email} returnTo={`/invitations/${token}`} />
        ) : isSameAddress(user.email, email) ? (
          <Accept token={token} />
        ) : (
          <OtherAddress user={user} email={email} returnTo={`/invitations/${token}`} />
        )}
      </div>
    </div>
  );
}

function Term({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex gap-x-4 gap-y-0.5 px-4 py-3 max-[24rem]:flex-col">
      <dt className="w-20 shrink-0 text-muted">{term}</dt>
      <dd className="min-w-0 flex-1 font-medium">{children}</dd>
    </div>
  );
}

function SignIn({ email, returnTo }: { email: string; returnTo: string }) {
  return (
    <div className="flex flex-col gap-2.5">
      <a
        href={signInUrl({ returnTo, email })}
        className={buttonClasses({ variant: 'primary', size: 'large' })}
      >
        Sign in
      </a>
      <a
        href={signInUrl({ returnTo, email, screen: 'sign_up' })}
        className={buttonClasses({ size: 'large' })}
      >
        Create account
      </a>
      <p className="mt-1 text-center text-[0.8125rem] text-muted">
        Use the address <span className="wrap-anywhere">{email}</span>. You come back here afterwards.
      </p>
    </div>
  );
}

function Accept({ token }: { token: string }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const acceptance = useMutation({
    mutationFn: () => post('/invitations/acceptance', { token }),
    onSuccess: async ({ id, name }) => {
      await queryClient.invalidateQueries({ ...organizationListQuery, exact: true });
      // In place of the link, which leads nowhere now.
      await navigate({
        to: '/organizations/$organizationId/overview',
        params: { organizationId: id },
        replace: true,
      });
      notifySuccess(`You are now a member of ${name}`);
    },
    onError: async (error) => {
      if (isSessionEnded(error)) await queryClient.resetQueries(signInSessionQuery);
      // Used, revoked or expired meanwhile.
      if (error instanceof ApiError && error.status === 409)
        await queryClient.invalidateQueries({ queryKey: ['invitation-offer'] });
    },
  });
  return (
    <div className="flex flex-col gap-2.5">
      {acceptance.error && !isSessionEnded(acceptance.error) && (
        <Notice tone="danger" role="alert">
          {acceptance.error.message}
        </Notice>
      )}
      <Button
        variant="primary"
        size="large"
        pending={acceptance.isPending || acceptance.isSuccess}
        onClick={() => acceptance.mutateAsync()}
      >
        Accept invitation
      </Button>
    </div>
  );
}

interface OtherAddressProps {
  user: User;
  email: string;
  returnTo: string;
}

function OtherAddress({ user, email, returnTo }: OtherAddressProps) {
  const queryClient = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => remove('/session'),
    onSuccess: () => leaveAndReturn(returnTo),
    onError: (error) => isSessionEnded(error) && queryClient.resetQueries(signInSessionQuery),
  });
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warning" title="You are signed in with another address">
        <span className="wrap-anywhere">
          Only <strong className="font-medium wrap-anywhere text-text">{email}</strong> can accept this
          invitation. You use <strong className="font-medium wrap-anywhere text-text">{user.email}</strong>.
        </span>
      </Notice>
      {signOut.error && !isSessionEnded(signOut.error) && (
        <Notice tone="danger" role="alert">
          {signOut.error.message}
        </Notice>
      )}
      <Button
        size="large"
        pending={signOut.isPending || signOut.isSuccess}
        onClick={() => signOut.mutateAsync()}
      >
        <LogOut aria-hidden />
        Sign out
      </Button>
    </div>
  );
}
