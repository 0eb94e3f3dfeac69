import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isNotFound, isSessionEnded, post } from '#dashboard/api/client.ts';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { BrandMark, productName } from '#dashboard/components/brand.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { useDocumentTitle } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { Offer } from './offer.tsx';
import { UnknownInvitation } from './unusable.tsx';

/** The page behind an invitation's link, also for people who are not signed in. */
export function InvitationView() {
  useDocumentTitle('Invitation');
  const { token } = useParams({ from: '/invitations/$token' });
  const session = useQuery(signInSessionQuery);
  const offer = useQuery({
    queryKey: ['invitation-offer', token],
    queryFn: () => post('/invitations/offer', { token }),
  });
  if (isNotFound(offer.error)) {
    return (
      <Frame>
        <UnknownInvitation />
      </Frame>
    );
  }
  const isSignedOut = isSessionEnded(session.error);
  if (offer.data && (session.data || isSignedOut)) {
    return (
      <Frame>
        <Offer token={token} offer={offer.data} user={isSignedOut ? null : (session.data?.user ?? null)} />
      </Frame>
    );
  }
  return (
    <Frame>
      <h1 className="sr-only">Invitation</h1>
      {offer.data ? (
        <QueryStatus query={session} skeleton={<OfferSkeleton />} />
      ) : (
        <QueryStatus query={offer} skeleton={<OfferSkeleton />} />
      )}
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 pt-[max(2rem,10vh)] pb-12">
      <header className="mb-8 flex items-center gap-2.5 text-[0.9375rem] font-semibold tracking-[-0.01em]">
        <BrandMark className="size-6.5" />
        {productName}
      </header>
      <main className="w-full max-w-[26rem]">
        <Card>{children}</Card>
      </main>
    </div>
  );
}

function OfferSkeleton() {
  return (
    <div className="flex flex-col items-center px-6 py-8">
      <Skeleton className="size-12 rounded-xl" />
      <Skeleton className="mt-5 h-7 w-48" />
      <Skeleton className="mt-2 h-5 w-64" />
      <Skeleton className="mt-6 h-32 w-full" />
      <Skeleton className="mt-6 h-11 w-full" />
      <Skeleton className="mt-2.5 h-11 w-full" />
    </div>
  );
}
