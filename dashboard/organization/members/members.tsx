import type { UseQueryResult } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { PersonAvatar } from '#dashboard/components/avatar.tsx';
import { Badge } from '#dashboard/components/badge.tsx';
import { Button } from '#dashboard/components/button.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Time } from '#dashboard/components/values/time.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Member, MemberList } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed, type Role } from '#lambdas/accounts/permissions.ts';
import { RoleBadge } from '../role-badge.tsx';
import { isLastOwner } from '../roles.ts';
import { MemberRole } from './member-role.tsx';

const RemoveDialog = lazyComponent(() => import('./remove-dialog.tsx'), 'RemoveDialog');
const LeaveDialog = lazyComponent(() => import('./leave-dialog.tsx'), 'LeaveDialog');

/** The list of members, with what the user may change about them. */
export function Members({ query }: { query: UseQueryResult<MemberList> }) {
  const { role } = useOrganization();
  const heading = useRef<HTMLHeadingElement>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const members = query.data?.data ?? [];

  const columns: [Column<Member>, ...Column<Member>[]] = [
    { title: 'Member', cell: (member) => <Person member={member} /> },
    {
      title: 'Role',
      cell: (member) =>
        mayManage(role, member) && !isLastOwner(members, member) ? (
          <MemberRole member={member} focusAfter={heading} />
        ) : (
          <RoleBadge role={member.role} />
        ),
    },
    { title: 'Joined', cell: (member) => <Time value={member.joined_at} format="date" /> },
    {
      title: 'Active keys',
      align: 'end',
      cell: (member) => <span className="tabular-nums">{formatCount(member.active_keys)}</span>,
    },
    {
      title: 'Action',
      hiddenTitle: true,
      align: 'end',
      cell: (member) =>
        member.current ? (
          <Button size="small" onClick={() => setLeaving(true)}>
            Leave
          </Button>
        ) : (
          mayManage(role, member) && (
            <Button
              size="small"
              aria-label={`Remove ${member.name ?? member.email}`}
              onClick={() => setRemoving(member)}
            >
              Remove
            </Button>
          )
        ),
    },
  ];

  return (
    <Section title="Current members" headingRef={heading}>
      <QueryPanel query={query} skeleton={<TableSkeleton />}>
        {({ data }) => (
          <Table label="Current members" columns={columns} items={data} itemKey={({ id }) => id} />
        )}
      </QueryPanel>
      <OnceOpened open={removing !== null}>
        <RemoveDialog member={removing} onClose={() => setRemoving(null)} focusAfter={heading} />
      </OnceOpened>
      <OnceOpened open={isLeaving}>
        <LeaveDialog open={isLeaving} onOpenChange={setLeaving} members={members} />
      </OnceOpened>
    </Section>
  );
}

function mayManage(role: Role, member: Member): boolean {
  return isAllowed(role, member.role === 'owner' ? 'manage_owners' : 'manage_members');
}

function Person({ member }: { member: Member }) {
  const { name, email, current } = member;
  return (
    <span className="flex min-w-0 items-center gap-3">
      <PersonAvatar person={member} />
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 wrap-anywhere">{name ?? email}</span>
          {current && <Badge tone="success">You</Badge>}
        </span>
        {name && <span className="block text-[0.8125rem] font-normal wrap-anywhere text-muted">{email}</span>}
      </span>
    </span>
  );
}
