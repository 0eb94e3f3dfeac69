/**
 * Log entries as rows of FOCUS 1.2, the FinOps Open Cost and Usage Specification, with its mandatory columns.
 * https://focus.finops.org/focus-specification/v1-2/
 */

import type { Organization } from '#lambdas/access/directory.ts';
import { type PartCost, partCostsOf } from '#lambdas/costs/part-costs.ts';
import type { KnownPrices } from '#lambdas/costs/price-request.ts';
import { offeringOf } from '#lambdas/inference/providers/offerings.ts';
import { isStandardName } from '#lambdas/pricing/tier.ts';
import { inputTokens, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { csvLine } from './csv-line.ts';

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
] as const;

type FocusRow = Record<(typeof columnNames)[number], string | null>;

/** Writes a row for each billed part of an entry. The organizations are those of all entries. */
export function createFocusFormat(organizations: readonly Organization[], prices: KnownPrices) {
  const organizationNames = new Map(organizations.map(({ id, name }) => [id, name]));
  return {
    header: csvLine(columnNames),
    lines(entry: LogEntry): string {
      const { provider } = entry;
      // Only rejected requests have no provider.
      if (provider === null || !reachedProvider(entry)) return '';
      const shared = {
        ...accountColumns(entry, organizationNames),
        ...periodColumns(entry),
        ...providerColumns(provider),
      };
      return partCostsOf(entry, prices)
        .map((part): FocusRow => ({ ...shared, ...chargeColumns(entry, provider, part) }))
        .map((row) => csvLine(columnNames.map((name) => row[name])))
        .join('');
    },
  };
}

function accountColumns({ organization_id }: LogEntry, organizationNames: ReadonlyMap<string, string>) {
  return {
    BillingAccountId: organization_id,
    BillingAccountName: organizationNames.get(organization_id) ?? null,
    BillingCurrency: 'USD',
  };
}

const secondMs = 1000;

/** Ends are exclusive. The billing period is the calendar month in which the request arrived, even if it ended later. */
function periodColumns({ created_at, latency_ms }: LogEntry) {
  const createdMs = Date.parse(created_at);
  const startMs = Math.floor(createdMs / secondMs) * secondMs;
  const endMs = Math.ceil((createdMs + latency_ms) / secondMs) * secondMs;
  const start = new Date(startMs);
  const monthMs = (offset: number) => Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + offset);
  return {
    BillingPeriodStart: focusTime(monthMs(0)),
    BillingPeriodEnd: focusTime(monthMs(1)),
    ChargePeriodStart: focusTime(startMs),
    ChargePeriodEnd: focusTime(Math.max(endMs, startMs + secondMs)),
  };
}

function providerColumns(provider: string) {
  const { providerName, serviceName } = offeringOf(provider);
  return {
    InvoiceIssuerName: providerName,
    ProviderName: providerName,
    PublisherName: providerName,
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: serviceName,
  };
}

function chargeColumns(entry: LogEntry, provider: string, { model, usage, costUsd }: PartCost) {
  const cost = decimal(costUsd);
  return {
    BilledCost: cost,
    ContractedCost: cost,
    EffectiveCost: cost,
    ListCost: cost,
    ChargeCategory: 'Usage',
    // The only other class is a correction of an earlier billing period.
    ChargeClass: null,
    ChargeDescription: description(entry, provider, model || entry.model),
    PricingQuantity: millionsOfTokens(usage),
    PricingUnit: '1000000 Tokens',
  };
}

function description({ service_tier, speed }: LogEntry, provider: string, model: string | null): string {
  const { providerName } = offeringOf(provider);
  const tiers = [service_tier, speed].filter((name) => name && !isStandardName(name));
  return [
    'Chat completion',
    ...(model ? [`with ${model}`] : []),
    `from ${providerName}`,
    ...(tiers.length > 0 ? [`(${tiers.join(', ')})`] : []),
  ].join(' ');
}

/** 0 for a request without usage, since the specification permits no empty quantity for usage. */
function millionsOfTokens(usage: TokenUsage): string {
  const digits = String(inputTokens(usage) + usage.outputTokens).padStart(7, '0');
  return decimal(`${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, ''));
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
