import { Link } from '@tanstack/react-router';
import { CircleCheck, Clock, Link2Off, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClasses } from '#dashboard/components/button.tsx';
import type { InvitationOffer } from '#lambdas/accounts/organizations/responses.ts';

/** A link that leads to no invitation. */
export function UnknownInvitation() {
  return (
    <Unusable icon={Link2Off} title="This invitation is not known">
      Check that the link is complete. If it is, ask the person who sent it for a new one.
    </Unusable>
  );
}

interface UsedInvitationProps {
  offer: InvitationOffer;
  state: Exclude<InvitationOffer['state'], 'pending'>;
}

/** An invitation that cannot be accepted any more. */
export function UsedInvitation({ offer, state }: UsedInvitationProps) {
  const { organization_name: organization, invited_by: inviter, email } = offer;
  switch (state) {
    case 'accepted':
      return (
        <Unusable icon={CircleCheck} title="This invitation has been used">
          {email} has joined {organization} with it. A link works only once.
        </Unusable>
      );
    case 'expired':
      return (
        <Unusable icon={Clock} title="This invitation has expired">
          The link to join {organization} was valid for 7 days. Ask {inviter} for a new one.
        </Unusable>
      );
    case 'revoked':
      return (
        <Unusable icon={Link2Off} title="This invitation has been revoked">
          The link to join {organization} no longer works. If you expected to join, ask {inviter} for a new
          one.
        </Unusable>
      );
    default:
      return state satisfies never;
  }
}

interface UnusableProps {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
}

function Unusable({ icon: Icon, title, children }: UnusableProps) {
  return (
    <div className="flex flex-col items-center px-6 py-10 text-center">
      <span className="mb-5 flex size-12 items-center justify-center rounded-xl border border-line bg-canvas shadow-card">
        <Icon aria-hidden className="size-5.5 text-muted" strokeWidth={1.75} />
      </span>
      <h1 tabIndex={-1} className="text-lg font-semibold tracking-[-0.015em]">
        {title}
      </h1>
      <p className="mt-1.5 max-w-sm wrap-anywhere text-muted">{children}</p>
      <Link to="/" className={`${buttonClasses()} mt-6`}>
        Go to the dashboard
      </Link>
    </div>
  );
}
