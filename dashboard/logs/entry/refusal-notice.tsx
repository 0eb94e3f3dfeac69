import { Link } from '@tanstack/react-router';
import { Fact } from '#dashboard/components/facts.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { periodAdjective } from '#dashboard/components/spending-bar.tsx';
import { formatFullTime } from '#dashboard/components/values/time-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { KeyLink } from '#dashboard/key-names/key-link.tsx';
import { useKeyName } from '#dashboard/key-names/use-key-names.ts';
import { capitalize } from '#dashboard/metrics/groups.ts';
import { useTimeZone } from '#dashboard/range/zone.ts';
import type { BudgetRefusal } from '#lambdas/limits/refusal.ts';

interface RefusalNoticeProps {
  refusal: BudgetRefusal;
  errorCode: string | null;
}

/** Names the budget that refused the request, and what it had left at that moment. */
export function RefusalNotice({ refusal, errorCode }: RefusalNoticeProps) {
  const timeZone = useTimeZone();
  const { needed_usd: needed, left_usd: left, limit_usd: limit, resets_at: resetsAt } = refusal;
  const resetTime = new Date(resetsAt);
  return (
    <Notice tone="warning" title="A budget refused the request before a provider was called">
      <p>{refusalSentence(refusal)}</p>
      <dl className="mt-3 grid grid-cols-2 gap-x-8 gap-y-3 text-text tabular-nums lg:grid-cols-5">
        <Fact label="Budget" wide>
          <BudgetLink refusal={refusal} />
        </Fact>
        <Fact label="Needed">{formatExactUsd(needed)}</Fact>
        <Fact label="Left">{formatExactUsd(left)}</Fact>
        <Fact label="Hard limit">{formatExactUsd(limit)}</Fact>
        <Fact label={resetTime.getTime() > Date.now() ? 'Resets' : 'Reset'}>
          <time dateTime={resetsAt}>{formatFullTime(resetTime, undefined, timeZone)}</time>
        </Fact>
      </dl>
      {errorCode !== null && (
        <p className="mt-3">
          Error code <strong className="font-medium text-text">{errorCode}</strong>
        </p>
      )}
    </Notice>
  );
}

/** Says why the amount that was left did not suffice. */
export function refusalSentence(refusal: BudgetRefusal): string {
  const sentence = `It might have cost more than the ${periodAdjective(refusal)} budget had left.`;
  return refusal.reserved_by_others
    ? `${sentence} Other requests in progress had reserved a part, which they give back when they end: this one can be sent again then.`
    : sentence;
}

const linkClasses = 'rounded-sm font-medium text-accent underline-offset-3 hover:underline';

/** Leads to where the budget is shown and changed. */
function BudgetLink({ refusal }: { refusal: BudgetRefusal }) {
  const { owner, api_key_id: keyId } = refusal;
  const { id: organizationId } = useOrganization();
  const keyName = useKeyName(keyId)?.name ?? null;
  const title = capitalize(periodAdjective(refusal));
  if (owner === 'api_key' && keyId !== null) {
    return (
      <>
        {title}, of the key{' '}
        <span className="font-medium text-accent">
          <KeyLink keyId={keyId} name={keyName} />
        </span>
      </>
    );
  }
  return (
    <Link to="/organizations/$organizationId/budgets" params={{ organizationId }} className={linkClasses}>
      {title}, of the organization
    </Link>
  );
}
