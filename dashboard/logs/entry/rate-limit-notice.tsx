import { Link } from '@tanstack/react-router';
import { Fact } from '#dashboard/components/facts.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { requestsOf } from '#dashboard/components/request/outcome.ts';
import { formatCount, formatDuration, formatRequests } from '#dashboard/components/values/number-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { KeyLink } from '#dashboard/key-names/key-link.tsx';
import { useKeyName } from '#dashboard/key-names/use-key-names.ts';
import { limitText, limitWords, rateLimitsFragment } from '#dashboard/rate-limits/limits.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import type { RateLimitRefusal } from '#lambdas/limits/refusal.ts';

interface RateLimitNoticeProps {
  refusal: RateLimitRefusal;
  entry: Pick<LogEntryDetails, 'error_code' | 'refused_requests'>;
}

/** Names the rate limit that refused the request, and says when it could be sent again. */
export function RateLimitNotice({ refusal, entry }: RateLimitNoticeProps) {
  const count = requestsOf(entry);
  const { limit, limit_value: value, retry_after_ms: retryAfterMs } = refusal;
  return (
    <Notice tone="warning" title="A rate limit refused the request before a provider was called">
      <p>
        <LimitOwner refusal={refusal} /> {reachedText(refusal)} The request could be sent again after{' '}
        {formatDuration(retryAfterMs)}.
      </p>
      {count > 1 && (
        <p className="mt-1.5">
          <strong className="font-medium text-text">
            This entry stands for {formatCount(count)} refused requests.
          </strong>{' '}
          When many are refused within a minute, most of them share an entry, which has the data of one.
        </p>
      )}
      <dl className="mt-3 grid grid-cols-2 gap-x-8 gap-y-3 text-text tabular-nums sm:grid-cols-3">
        <Fact label={limitWords[limit].title}>{formatCount(value)}</Fact>
        <Fact label="Retry after">{formatDuration(retryAfterMs)}</Fact>
        {entry.error_code !== null && <Fact label="Error code">{entry.error_code}</Fact>}
      </dl>
    </Notice>
  );
}

/** Continues the owner of the limit: how much it allows, and that this was used up. */
function reachedText({ limit, limit_value: value }: RateLimitRefusal): string {
  switch (limit) {
    case 'requests_per_minute':
      return `may send ${limitText(limit, value)}, and had none left.`;
    case 'tokens_per_minute':
      return `may use ${limitText(limit, value)}, and had too few left for this request.`;
    case 'concurrent':
      return `may have ${formatRequests(value)} in progress at the same time, and had as many.`;
    default:
      return limit satisfies never;
  }
}

/** Leads to where the limit is shown and changed. */
function LimitOwner({ refusal: { owner, api_key_id: keyId } }: { refusal: RateLimitRefusal }) {
  const { id: organizationId, name } = useOrganization();
  const keyName = useKeyName(keyId)?.name ?? null;
  if (owner === 'api_key' && keyId !== null) {
    return (
      <>
        The key{' '}
        <span className="font-medium text-accent">
          <KeyLink keyId={keyId} name={keyName} />
        </span>
      </>
    );
  }
  return (
    <>
      All keys of{' '}
      <Link
        to="/organizations/$organizationId/budgets"
        params={{ organizationId }}
        hash={rateLimitsFragment}
        className="rounded-sm font-medium text-accent underline-offset-3 hover:underline"
      >
        <bdi>{name}</bdi>
      </Link>{' '}
      together
    </>
  );
}
