import { Link } from '@tanstack/react-router';
import { Badge } from '#dashboard/components/badge.tsx';
import { Time } from '#dashboard/components/values/time.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useKeyName } from '#dashboard/key-names/use-key-names.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { type CellProps, Lines } from './key-cells.tsx';

export function StateCell({ apiKey }: CellProps) {
  return (
    <Lines>
      <StateBadge apiKey={apiKey} />
      <StateTime apiKey={apiKey} />
    </Lines>
  );
}

export function StateBadge({ apiKey: { state, replacement_id: replacementId } }: CellProps) {
  if (state === 'active') {
    return replacementId === null ? (
      <Badge tone="success">Active</Badge>
    ) : (
      <Badge tone="warning">Being replaced</Badge>
    );
  }
  return <Badge>{state === 'expired' ? 'Expired' : 'Revoked'}</Badge>;
}

const soonMs = 7 * dayMs;

function StateTime({ apiKey }: CellProps) {
  const { state, ends_at: endsAt, revoked_at: revokedAt, revoked_by: revokedBy } = apiKey;
  const { replacement_id: replacementId } = apiKey;
  if (revokedAt !== null) {
    return (
      <>
        <Time value={revokedAt} format="date" />
        {revokedBy && (
          <span className="block truncate @[42rem]:max-w-34 @[70rem]:max-w-60">
            by {revokedBy.id === null ? 'an operator' : revokedBy.name}
          </span>
        )}
        {replacementId !== null && <Replacement keyId={replacementId} verb="Replaced by" />}
      </>
    );
  }
  if (endsAt === null) return 'Never expires';
  if (state === 'expired') {
    return (
      <>
        <Time value={endsAt} format="date" />
        {replacementId !== null && <Replacement keyId={replacementId} verb="Replaced by" />}
      </>
    );
  }
  const leftMs = Date.parse(endsAt) - Date.now();
  const [isSoon, isToday] = [leftMs < soonMs, leftMs < dayMs];
  return (
    <>
      {isSoon ? (
        <span className="text-warning">
          {replacementId === null ? 'Expires' : 'Ends'}{' '}
          <Time value={endsAt} format={isToday ? 'relative' : 'date'} />
        </span>
      ) : (
        <>
          Until <Time value={endsAt} format="date" />
        </>
      )}
      {replacementId !== null && <Replacement keyId={replacementId} verb="by" />}
    </>
  );
}

/** The replacement has most probably the same name: the end of its text tells it apart. */
function Replacement({ keyId, verb }: { keyId: string; verb: 'by' | 'Replaced by' }) {
  const { id: organizationId } = useOrganization();
  const replacement = useKeyName(keyId);
  return (
    <span className="block">
      {verb}{' '}
      <Link
        to="/organizations/$organizationId/keys/$keyId"
        params={{ organizationId, keyId }}
        aria-label={replacement ? `${replacement.name}, …${replacement.last_four}` : keyId}
        className="rounded-sm font-mono text-xs text-accent underline-offset-3 hover:underline"
      >
        {replacement ? `pt_live_…${replacement.last_four}` : keyId}
      </Link>
    </span>
  );
}
