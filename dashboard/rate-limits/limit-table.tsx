import { Timer } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { ChangeMenu } from '#dashboard/components/overlay/change-menu.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { KeyLink } from '#dashboard/key-names/key-link.tsx';
import type { RateLimitOwner } from '#lambdas/accounts/organizations/responses.ts';
import { rateLimitNames } from '#lambdas/limits/rates/rate-limits.ts';
import { allOf, limitWords, type PresentLimits } from './limits.ts';

export interface LimitActions {
  change: (subject: PresentLimits) => void;
  remove: (subject: PresentLimits) => void;
}

interface LimitTableProps {
  owners: readonly RateLimitOwner[];
  /** Null if the user may not change rate limits. */
  actions: LimitActions | null;
}

/** The owners of rate limits, and each limit in a column. */
export function LimitTable({ owners, actions }: LimitTableProps) {
  const actionColumn: Column<RateLimitOwner> = {
    title: 'Actions',
    hiddenTitle: true,
    align: 'end',
    cell: (owner) =>
      actions && (
        <ChangeMenu
          label={`Actions for the rate limits of ${owner.api_key_name ?? owner.api_key_id ?? 'the organization'}`}
          change={() => actions.change({ kind: 'owner', owner })}
          remove={() => actions.remove({ kind: 'owner', owner })}
        />
      ),
  };
  return (
    <Table
      label="Rate limits"
      columns={[
        { title: 'Applies to', cell: (owner) => <OwnerName owner={owner} /> },
        ...limitColumns,
        ...(actions ? [actionColumn] : []),
      ]}
      items={owners}
      itemKey={({ api_key_id: keyId }) => keyId ?? 'organization'}
    />
  );
}

const limitColumns = rateLimitNames.map(
  (name): Column<RateLimitOwner> => ({
    title: limitWords[name].title,
    align: 'end',
    cell: ({ [name]: value }) => <LimitValue value={value} />,
  }),
);

export function LimitValue({ value }: { value: number | null }) {
  if (value === null) return <span className="text-muted">No limit</span>;
  return <span className="tabular-nums">{formatCount(value)}</span>;
}

function OwnerName({ owner: { api_key_id: keyId, api_key_name: keyName } }: { owner: RateLimitOwner }) {
  const { name } = useOrganization();
  return keyId === null ? <bdi>{allOf(name)}</bdi> : <KeyLink keyId={keyId} name={keyName} />;
}

/** @param action the button that sets rate limits; `null` if the user may not */
export function NoLimits({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={Timer} title="No rate limits yet" action={action}>
      {action
        ? 'A rate limit stops a runaway application within seconds: requests beyond it are refused, and told when to try again.'
        : 'Admins of this organization can limit the requests and tokens per minute of it and its keys.'}
    </EmptyState>
  );
}
