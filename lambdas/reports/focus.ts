/**
 * Charges as rows of FOCUS 1.2, the FinOps Open Cost and Usage Specification: its mandatory columns, and custom ones, which
 * begin with `x_`, for the requests and costs that are not certain.
 * https://focus.finops.org/focus-specification/v1-2/
 */
import { offeringOf } from '#lambdas/inference/providers/offerings.ts';
import { csvLine } from '#lambdas/platform/csv.ts';
import { fromUnits, type Usd } from '#lambdas/platform/money.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { isStandardName } from '#lambdas/pricing/price-context.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { UncertainCosts, UncertainRequests } from '#lambdas/request-log/uncertainty.ts';

interface FocusCharge {
  organizationId: string;
  organizationName: string | null;
  /** One of `focusSubjects`. */
  subject: string;
  provider: string;
  model: string | null;
  /** Service tier and speed. */
  tiers: readonly (string | null)[];
  /** The name of the API key; `null` to leave it out. */
  apiKeyName: string | null;
  /** Whole seconds. The billing period is the UTC month of its start. */
  window: TimeWindow;
  tokens: number;
  costUsd: Usd;
  uncertain: UncertainRequests & UncertainCosts;
}

/** In alphabetical order, as later versions of the specification recommend. */
const columnNames = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ContractedCost',
  'EffectiveCost',
  'InvoiceIssuerName',
  'ListCost',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'ServiceCategory',
  'ServiceName',
  'x_AssumedCost',
  'x_AssumedRequests',
  'x_EstimatedCost',
  'x_EstimatedRequests',
  'x_UnpricedRequests',
] as const;

type FocusRow = Record<(typeof columnNames)[number], string | null>;

/** The requests of each operation. */
export const focusSubjects: Record<OperationName, { one: string; many: string }> = {
  'chat.completions': { one: 'Chat completion', many: 'Chat completions' },
  embeddings: { one: 'Embedding', many: 'Embeddings' },
  messages: { one: 'Message', many: 'Messages' },
  responses: { one: 'Response', many: 'Responses' },
};

export const focusHeader = csvLine(columnNames);

export function focusLine(charge: FocusCharge): string {
  const row = focusRow(charge);
  return csvLine(columnNames.map((name) => row[name]));
}

function focusRow(charge: FocusCharge): FocusRow {
  const { providerName, serviceName } = offeringOf(charge.provider);
  const { uncertain } = charge;
  const { startMs, endMs } = charge.window;
  const cost = decimal(charge.costUsd);
  return {
    BilledCost: cost,
    ContractedCost: cost,
    EffectiveCost: cost,
    ListCost: cost,
    BillingAccountId: charge.organizationId,
    BillingAccountName: charge.organizationName,
    BillingCurrency: 'USD',
    BillingPeriodEnd: focusTime(endOfPeriod('month', startMs)),
    BillingPeriodStart: focusTime(startOfPeriod('month', startMs)),
    ChargeCategory: 'Usage',
    // The only other class is a correction of an earlier billing period.
    ChargeClass: null,
    ChargeDescription: description(charge),
    ChargePeriodEnd: focusTime(endMs),
    ChargePeriodStart: focusTime(startMs),
    InvoiceIssuerName: providerName,
    ProviderName: providerName,
    PublisherName: providerName,
    PricingQuantity: millionsOf(charge.tokens),
    PricingUnit: '1000000 Tokens',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: serviceName,
    x_AssumedCost: decimal(uncertain.assumed_cost_usd),
    x_AssumedRequests: String(uncertain.assumed_requests),
    x_EstimatedCost: decimal(uncertain.estimated_cost_usd),
    x_EstimatedRequests: String(uncertain.estimated_requests),
    x_UnpricedRequests: String(uncertain.unpriced_requests),
  };
}

function description({ subject, provider, model, tiers, apiKeyName }: FocusCharge): string {
  const { providerName } = offeringOf(provider);
  const named = tiers.filter((name) => name && !isStandardName(name));
  return [
    subject,
    ...(model ? [`with ${model}`] : []),
    `from ${providerName}`,
    ...(named.length > 0 ? [`(${named.join(', ')})`] : []),
    ...(apiKeyName === null ? [] : [`by the API key ${apiKeyName}`]),
  ].join(' ');
}

/** A millionth, in the units of `fromUnits`. */
const unitsPerToken = 1_000_000n;

/** 0 for a request without usage, since the specification permits no empty quantity for usage. */
function millionsOf(tokens: number): string {
  return decimal(fromUnits(BigInt(tokens) * unitsPerToken));
}

/**
 * Has a decimal point: the specification's validator takes a column of whole numbers for integers and rejects it.
 * https://github.com/finopsfoundation/focus_validator
 */
function decimal(number: string): string {
  return number.includes('.') ? number : `${number}.0`;
}

/** Whole seconds, without a fraction. */
function focusTime(timestampMs: number): string {
  return new Date(timestampMs).toISOString().replace('.000Z', 'Z');
}
