import type { ReactNode } from 'react';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { periodAdjective, resetText } from '#dashboard/components/spending-bar.tsx';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { KeyLink } from '#dashboard/key-names/key-link.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { forecastOf } from './forecast.ts';
import { reachedText } from './forecast-line.tsx';

/** Answers whether the organization stays within the month's budget, and which other budgets would be reached. */
export function Outlook({ budgets }: { budgets: readonly BudgetSummary[] }) {
  const now = new Date();

  const month = budgets.find(({ api_key_id: keyId, period }) => keyId === null && period === 'month');
  const { tone, title, text } = monthOutlook(month, now);
  return (
    <Notice tone={tone} title={title}>
      {text && <p>{text}</p>}
      <Others budgets={budgets.filter((budget) => budget !== month)} now={now} />
      <p className="mt-1 text-[0.8125rem]">
        A forecast is the spend so far divided by the elapsed part of the period, once that is a tenth.
      </p>
    </Notice>
  );
}

interface MonthOutlook {
  tone: 'neutral' | 'success' | 'warning' | 'danger';
  title: string;
  text?: ReactNode;
}

function monthOutlook(month: BudgetSummary | undefined, now: Date): MonthOutlook {
  if (month === undefined) return { tone: 'neutral', title: 'The organization has no monthly budget' };
  const forecast = forecastOf(month, now);
  if (forecast === null) {
    return {
      tone: 'neutral',
      title: 'No forecast of the month yet',
      text: 'There is one once a tenth of the month has elapsed.',
    };
  }
  const amounts = (
    <>
      <Usd amount={forecast.expectedUsd} /> of <Usd amount={month.amount_usd} /> expected by the end of the
      month
    </>
  );
  if (forecast.verdict === 'within') {
    return {
      tone: 'success',
      title: 'This month is expected to stay within its budget',
      text: <>{amounts}.</>,
    };
  }
  const refusal = month.hard ? ' Requests that might exceed it are refused.' : '';
  if (forecast.reachedAt === null) {
    return {
      tone: 'danger',
      title: "This month's budget is spent",
      text: `${resetText(month.period_end)}.${refusal}`,
    };
  }
  return {
    tone: 'warning',
    title: `This month's budget is expected to be reached about ${reachedText(month, forecast.reachedAt)}`,
    text: (
      <>
        {amounts}.{refusal}
      </>
    ),
  };
}

const maxShown = 5;

function Others({ budgets, now }: { budgets: readonly BudgetSummary[]; now: Date }) {
  const reached = budgets.flatMap((budget) => {
    const forecast = forecastOf(budget, now);
    return forecast === null || forecast.verdict === 'within' ? [] : [{ budget, at: forecast.reachedAt }];
  });
  if (reached.length === 0) return null;
  return (
    <p>
      Others that reach their limit:{' '}
      {reached.slice(0, maxShown).map(({ budget, at }, index) => (
        <span key={`${budget.api_key_id}/${budget.period}`}>
          {index > 0 && ', '}
          {budget.api_key_id === null ? (
            'the organization'
          ) : (
            <KeyLink keyId={budget.api_key_id} name={budget.api_key_name} />
          )}{' '}
          ({periodAdjective(budget)}, {at === null ? 'spent' : `about ${reachedText(budget, at)}`})
        </span>
      ))}
      {reached.length > maxShown && ` and ${reached.length - maxShown} more`}.
    </p>
  );
}
