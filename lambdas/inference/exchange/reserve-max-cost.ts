/** Reserves the maximum cost of a request from the hard budgets of its key. Loaded only for keys that have one. */
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { budgetUnavailableError, modelNotPricedError } from '#lambdas/limits/errors.ts';
import { estimateMaxCost } from '#lambdas/limits/estimate.ts';
import { createReserve, hardBudgetsOf, type ReservationResult } from '#lambdas/limits/reserve.ts';
import { isTransient } from '#lambdas/platform/aws/errors.ts';
import type { JsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableUpdates } from '#lambdas/platform/dynamodb/json-updates.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { errorFields, log } from '#lambdas/platform/telemetry/log.ts';
import type { Pricing } from '#lambdas/pricing/pricing.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import type { PreparedRequest } from '../providers/provider.ts';
import type { Exchange } from './exchange.ts';

interface ReserveDependencies {
  dynamodb: JsonService;
  /** The table of counters. */
  tableName: string;
  loadPricing(): Promise<Pricing>;
  now(): Date;
}

/** Resolves to an error if a budget refuses the request, or cannot be checked. */
export type ReserveMaxCost = (
  exchange: Readonly<Exchange>,
  prepared: PreparedRequest,
) => Promise<ReservationResult>;

export function createReserveMaxCost({
  dynamodb,
  tableName,
  loadPricing,
  now,
}: ReserveDependencies): ReserveMaxCost {
  const calls = createJsonTableUpdates(dynamodb);
  const onFailure = (error: unknown, { organizationId, keyId }: BudgetScope) =>
    log.error('budget_counter_not_written', {
      organization_id: organizationId,
      api_key_id: keyId,
      ...errorFields(error),
    });
  const reserve = createReserve({ calls, tableName, now, onFailure });
  const countUnavailable = ({ organization_id, id: api_key_id }: Exchange['apiKey']) =>
    log.error('budget_not_checked', { organization_id, api_key_id }, { InternalErrors: 1 });
  return async (exchange, prepared) => {
    const { apiKey, id, receivedAtMs } = exchange;
    let usd: Usd | null;
    try {
      usd = await maxCostOf(exchange, prepared, await loadPricing());
    } catch (error) {
      if (!isTransient(error)) throw error;
      logUnexpected(error);
      countUnavailable(apiKey);
      return { reservation: null, error: budgetUnavailableError() };
    }
    if (usd === null && !hardBudgetsOf(apiKey).every(({ ref }) => ref.allows_unpriced)) {
      return { reservation: null, error: modelNotPricedError(exchange.parsed?.model ?? '') };
    }
    const result = await reserve({ apiKey, logShard: shardOfLogId(id), receivedAtMs, usd: usd ?? '0' });
    if (result.error?.code === 'service_unavailable') countUnavailable(apiKey);
    return result;
  };
}

/** `null` for a model without a price. */
async function maxCostOf(
  { apiKey, provider, model, parsed, receivedAtMs }: Readonly<Exchange>,
  prepared: PreparedRequest,
  pricing: Pricing,
): Promise<Usd | null> {
  if (provider === null || model === null || parsed === null) return null;
  const { name, host, settings } = provider;
  const measured = await parsed.measureMaxCost();
  const rates = await pricing.findMaxRates(apiKey.organization_id, {
    provider: name,
    model,
    region: pricing.findRegion({ provider: name, model, host, region: provider.region }),
    at: new Date(receivedAtMs),
    settings,
    ...measured,
  });
  return rates && estimateMaxCost({ ...measured, ...(await prepared.outputLimit()), rates });
}
