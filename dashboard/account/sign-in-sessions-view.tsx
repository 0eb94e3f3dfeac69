import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Laptop, LogOut, Smartphone } from 'lucide-react';
import { useRef, useState } from 'react';
import { remove } from '#dashboard/api/client.ts';
import { signInSessionListQuery } from '#dashboard/api/sign-in.ts';
import { Badge } from '#dashboard/components/badge.tsx';
import { Button } from '#dashboard/components/button.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { ConfirmDialog } from '#dashboard/components/overlay/confirm-dialog.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import { leave } from '#dashboard/shell/sign-in-service.ts';
import type { SessionListItem } from '#lambdas/accounts/sign-in/responses.ts';
import { describeUserAgent } from './user-agent.ts';

export function SessionsView() {
  const queryClient = useQueryClient();
  const sessions = useQuery(signInSessionListQuery);
  const heading = useRef<HTMLHeadingElement>(null);
  const [ending, setEnding] = useState<SessionListItem | null>(null);
  const [isLeaving, setLeaving] = useState(false);

  const endSession = async ({ id }: SessionListItem) => {
    await remove(`/sessions/${encodeURIComponent(id)}`);
    await queryClient.invalidateQueries(signInSessionListQuery);
    notifySuccess('The session has ended');
  };
  const signOutEverywhere = async () => {
    await remove('/sessions');
    leave('signed_out_everywhere');
  };

  return (
    <Page title="Sign-ins" description="The browsers in which you are signed in.">
      <Section
        title="Active sessions"
        description="End those that you do not recognize. Each ends by itself after 12 hours."
        headingRef={heading}
        action={
          <Button size="small" onClick={() => setLeaving(true)}>
            <LogOut aria-hidden />
            Sign out everywhere
          </Button>
        }
      >
        <QueryPanel query={sessions} skeleton={<SessionsSkeleton />}>
          {({ data }) => (
            <Table
              label="Active sessions"
              columns={sessionColumns(setEnding)}
              items={data}
              itemKey={({ id }) => id}
            />
          )}
        </QueryPanel>
      </Section>
      <ConfirmDialog
        subject={ending}
        onClose={() => setEnding(null)}
        title="End this session?"
        description={({ user_agent: userAgent }) => (
          <>
            <strong className="font-medium text-text">{describeUserAgent(userAgent).name}</strong> is signed
            out at once.
          </>
        )}
        confirmLabel="End session"
        confirm={endSession}
        focusAfter={heading}
      />
      <ConfirmDialog
        subject={isLeaving || null}
        onClose={() => setLeaving(false)}
        title="Sign out everywhere?"
        description={() => 'All your sessions end at once, this one included. API keys keep working.'}
        confirmLabel="Sign out everywhere"
        confirm={signOutEverywhere}
        focusAfter={heading}
      />
    </Page>
  );
}

function sessionColumns(
  onEnd: (session: SessionListItem) => void,
): [Column<SessionListItem>, ...Column<SessionListItem>[]] {
  return [
    { title: 'Browser', cell: (session) => <Browser session={session} /> },
    { title: 'Signed in', cell: (session) => <Time value={session.signed_in_at} focusable /> },
    {
      title: 'Last renewed',
      cell: (session) => <Time value={session.last_renewed_at} format="relative" focusable />,
    },
    { title: 'Expires', cell: (session) => <Time value={session.expires_at} format="relative" focusable /> },
    {
      title: 'Action',
      hiddenTitle: true,
      align: 'end',
      cell: (session) => !session.current && <EndButton session={session} onEnd={onEnd} />,
    },
  ];
}

function Browser({ session }: { session: SessionListItem }) {
  const { name, isPhone } = describeUserAgent(session.user_agent);
  const Icon = isPhone ? Smartphone : Laptop;
  return (
    <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1 @4xl:flex-nowrap @4xl:whitespace-nowrap">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      {name}
      {session.current && <Badge tone="success">This session</Badge>}
    </span>
  );
}

interface EndButtonProps {
  session: SessionListItem;
  onEnd: (session: SessionListItem) => void;
}

function EndButton({ session, onEnd }: EndButtonProps) {
  return (
    <Button
      size="small"
      aria-label={`End session: ${describeUserAgent(session.user_agent).name}`}
      onClick={() => onEnd(session)}
    >
      End session
    </Button>
  );
}

function SessionsSkeleton() {
  return (
    <div className="divide-y divide-line">
      <div className="hidden h-10 md:block" />
      {['w-2/3', 'w-1/2'].map((width) => (
        <div key={width} className="flex h-14 items-center px-5">
          <Skeleton className={`h-5 ${width}`} />
        </div>
      ))}
    </div>
  );
}
