/** The e-mails about budgets, in plain text. */
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
import { toUnits, type Usd } from '#lambdas/platform/money.ts';
import { type Mail, quoteName } from '../mail.ts';

export interface BudgetNotice {
  event: BudgetEvent;
  organizationName: string;
  /** `null` for the budget of the organization. */
  keyName: string | null;
  /** Where the budgets are shown. */
  url: string;
}

export function budgetMail({ event, organizationName, keyName, url }: BudgetNotice): Omit<Mail, 'to'> {
  const organization = quoteName(organizationName);
  const owner = keyName === null ? organization : `the API key ${quoteName(keyName)}`;
  const budget = `${event.period === 'day' ? 'daily' : 'monthly'} budget of ${owner}`;
  return {
    subject: isRefusing(event)
      ? `The ${budget} refuses requests`
      : `${event.threshold} % of the ${budget} is spent`,
    text: [
      'Hello,',
      '',
      statementOf(event, budget),
      '',
      `Organization: ${organization}`,
      ...(keyName === null ? [] : [`API key: ${quoteName(keyName)}`]),
      `Period: ${periodName(event)} (UTC)`,
      `Budget: ${dollars(event.amount_usd)}`,
      `Spent: ${dollars(event.spent_usd)}`,
      '',
      url,
      '',
      'You receive this e-mail as an owner of the organization.',
      '',
    ].join('\n'),
  };
}

/** A hard budget refuses what might exceed it, so it may reach its last threshold before the amount is spent. */
function isRefusing({ threshold, amount_usd, spent_usd }: BudgetEvent): boolean {
  return threshold === 100 && toUnits(spent_usd) < toUnits(amount_usd);
}

function statementOf(event: BudgetEvent, budget: string): string {
  if (isRefusing(event)) {
    return `The ${budget} has refused a request that might have exceeded it. It goes on to do so until the period ends.`;
  }
  const spent = `${event.threshold} % of the ${budget} is spent.`;
  return event.threshold === 100
    ? `${spent} If it is a hard budget, requests are refused until the period ends.`
    : spent;
}

function periodName({ period, period_start }: BudgetEvent): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'long',
    ...(period === 'day' && { day: 'numeric' }),
  });
  return format.format(new Date(period_start));
}

/** All digits, at least two decimals. */
function dollars(amount: Usd): string {
  const [whole, fraction = ''] = amount.split('.');
  return `${whole}.${fraction.padEnd(2, '0')} USD`;
}
