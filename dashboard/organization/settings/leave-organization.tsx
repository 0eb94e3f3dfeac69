import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { memberListQuery } from '#dashboard/api/queries.ts';
import { Button } from '#dashboard/components/button.tsx';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Row } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';

const LeaveDialog = lazy(() =>
  import('../members/leave-dialog.tsx').then((module) => ({ default: module.LeaveDialog })),
);

export function LeaveOrganization() {
  const { id } = useOrganization();
  const members = useQuery(memberListQuery(id));
  const [isOpen, setOpen] = useState(false);
  return (
    <Row label="Leave organization" description="Ends your own access. You choose what happens to your keys.">
      <Button size="small" variant="danger-quiet" pending={members.isPending} onClick={() => setOpen(true)}>
        Leave organization
      </Button>
      <OnceOpened open={isOpen}>
        <LeaveDialog open={isOpen} onOpenChange={setOpen} members={members.data?.data ?? []} />
      </OnceOpened>
    </Row>
  );
}
