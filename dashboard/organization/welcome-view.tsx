import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { Building2, type LucideIcon, MailOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import { signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { productName } from '#dashboard/components/brand.tsx';
import { CopyField } from '#dashboard/components/copying.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card, Heading } from '#dashboard/components/section.tsx';
import type { Session } from '#lambdas/accounts/sign-in/responses.ts';
import { CreateForm } from './create-form.tsx';

/** For people who are not a member of any organization yet. */
export function WelcomeView() {
  const organizations = useQuery(organizationListQuery);
  const { data: list } = organizations;
  const user = useQuery(signInSessionQuery).data?.user;
  if (list && list.data.length > 0) return <Navigate to="/" replace />;
  return (
    <Page
      title={`Welcome to ${productName}`}
      description="API keys, budgets and logs belong to an organization, usually a team or company."
    >
      {list && user ? (
        <div className="grid items-start gap-5 lg:grid-cols-2">
          {list.can_create && (
            <Way
              icon={Building2}
              title="Create an organization"
              text="You become its owner and can invite others."
            >
              <CreateForm defaultName={firstOrganizationName(user)} />
            </Way>
          )}
          <Invitation isOnlyWay={!list.can_create} address={user.email} />
        </div>
      ) : (
        <Card>
          <QueryStatus query={organizations} skeleton={<Skeleton className="m-6 h-48" />} />
        </Card>
      )}
    </Page>
  );
}

const maxOwnerCharacters = 60;

/** Returns text such as "Ada Lovelace’s organization": the name, or else the part of the address before the @, or neither. */
export function firstOrganizationName({ name, email }: Pick<Session['user'], 'name' | 'email'>): string {
  const local = email.split('@', 1)[0]?.split('+', 1)[0] ?? '';
  const owner = name?.trim() || local.charAt(0).toUpperCase() + local.slice(1);
  return owner === '' || owner.length > maxOwnerCharacters ? 'My organization' : `${owner}’s organization`;
}

interface InvitationProps {
  isOnlyWay: boolean;
  /** The address of the user. */
  address: string;
}

function Invitation({ isOnlyWay, address }: InvitationProps) {
  return (
    <Way
      icon={MailOpen}
      title={isOnlyWay ? 'Ask for an invitation' : 'Join an organization'}
      text="Ask an owner or admin of the organization to invite your address, then open the link that you get."
    >
      <CopyField label="Your address" text={address} />
    </Way>
  );
}

interface WayProps {
  icon: LucideIcon;
  title: string;
  text: string;
  children: ReactNode;
}

function Way({ icon: Icon, title, text, children }: WayProps) {
  return (
    <Card>
      <section className="p-5 sm:p-6">
        <span className="mb-4 flex size-10 items-center justify-center rounded-xl border border-line bg-canvas shadow-card">
          <Icon aria-hidden className="size-5 text-muted" strokeWidth={1.75} />
        </span>
        <Heading>{title}</Heading>
        <p className="mt-0.5 text-muted">{text}</p>
        <div className="mt-5">{children}</div>
      </section>
    </Card>
  );
}
