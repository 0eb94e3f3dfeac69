import { Ellipsis, PencilLine, Timer, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Menu, MenuItem, MenuSeparator } from '#dashboard/components/overlay/menu.tsx';
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
        <LimitMenu
          label={`Actions for the rate limits of ${owner.api_key_name ?? owner.api_key_id ?? 'the organization'}`}
          subject={{ kind: 'owner', owner }}
          actions={actions}
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

interface LimitMenuProps {
  label: string;
  subject: PresentLimits;
  actions: LimitActions;
}

export function LimitMenu({ label, subject, actions }: LimitMenuProps) {
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={label}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onClick={() => actions.change(subject)}>
        <PencilLine aria-hidden />
        Change
      </MenuItem>
      <MenuSeparator />
      <MenuItem onClick={() => actions.remove(subject)}>
        <span className="flex items-center gap-2.5 text-danger [&>svg]:text-danger">
          <Trash2 aria-hidden />
          Remove
        </span>
      </MenuItem>
    </Menu>
  );
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
