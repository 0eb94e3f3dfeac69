import type { ReactNode } from 'react';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { periodAdjective, refusedText, resetText } from '#dashboard/components/spending-bar.tsx';
import { formatRequests } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { KeyLink } from '#dashboard/key-names/key-link.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { forecastOf } from './forecast.ts';
import { reachedText } from './forecast-line.tsx';

/**
 * Answers whether the organization stays within the month's budget, which other budgets would be reached, and which refuse
 * requests.
 */
export function Outlook({ budgets }: { budgets: readonly BudgetSummary[] }) {
  const now = new Date();

  const month = budgets.find(({ api_key_id: keyId, period }) => keyId === null && period === 'month');
  const { tone, title, text } = monthOutlook(month, now);
  const refusing = budgets.filter(({ refused_requests: refused }) => refused > 0);
  return (
    <Notice tone={refusing.length > 0 && tone !== 'danger' ? 'warning' : tone} title={title}>
      {text && <p>{text}</p>}
      <Refusing budgets={refusing} />
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
    const { refused_requests: refused } = month;
    return {
      tone: 'success',
      title:
        refused > 0
          ? `This month's budget is not spent, but ${refusedText(refused)}`
          : 'This month is expected to stay within its budget',
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
        <NamedBudget key={`${budget.api_key_id}/${budget.period}`} budget={budget} isFirst={index === 0}>
          {at === null ? 'spent' : `about ${reachedText(budget, at)}`}
        </NamedBudget>
      ))}
      {reached.length > maxShown && ` and ${reached.length - maxShown} more`}.
    </p>
  );
}

function Refusing({ budgets }: { budgets: readonly BudgetSummary[] }) {
  if (budgets.length === 0) return null;
  return (
    <p>
      Budgets with too little left for some requests, which were refused:{' '}
      {budgets.slice(0, maxShown).map((budget, index) => (
        <NamedBudget key={`${budget.api_key_id}/${budget.period}`} budget={budget} isFirst={index === 0}>
          {formatRequests(budget.refused_requests)}
        </NamedBudget>
      ))}
      {budgets.length > maxShown && ` and ${budgets.length - maxShown} more`}.
    </p>
  );
}

interface NamedBudgetProps {
  budget: BudgetSummary;
  isFirst: boolean;
  /** More about it, in brackets. */
  children: string;
}

/** A budget in a list within a sentence. */
function NamedBudget({ budget, isFirst, children }: NamedBudgetProps) {
  return (
    <>
      {!isFirst && ', '}
      {budget.api_key_id === null ? (
        'the organization'
      ) : (
        <KeyLink keyId={budget.api_key_id} name={budget.api_key_name} />
      )}{' '}
      ({periodAdjective(budget)}, {children})
    </>
  );
}
