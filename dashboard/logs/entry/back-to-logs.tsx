import { Link, useLocation, useRouter, useSearch } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { BackLink } from '#dashboard/components/page.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';

/** Leads to the list that the entry was opened from: to its position there, if that is the entry of the history before. */
export function BackToLogs() {
  const { id: organizationId } = useOrganization();
  const search = useSearch({ from: '/shell/organizations/$organizationId/logs/$logId' });
  const isFromLogs = useLocation({ select: ({ state }) => state.isFromLogs === true });
  const { history } = useRouter();
  const goBack = (event: MouseEvent) => {
    if (!isFromLogs || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    history.back();
  };
  return (
    <BackLink
      link={
        <Link
          to="/organizations/$organizationId/logs"
          params={{ organizationId }}
          search={search}
          onClick={goBack}
        />
      }
    >
      Logs
    </BackLink>
  );
}
