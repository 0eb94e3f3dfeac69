/** Admits a request to the hard budgets and rate limits of its key. Loaded only for keys that have some. */
import { hasHardBudget } from '#lambdas/access/directory.ts';
import { createAdmit, limitedOwnersOf } from '#lambdas/limits/admission.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { budgetUnavailableError, modelNotPricedError } from '#lambdas/limits/errors.ts';
import { estimateMaxCost } from '#lambdas/limits/estimate.ts';
import { rateLimitHeaders } from '#lambdas/limits/rates/headers.ts';
import { type LimitFailure, renewRegularly } from '#lambdas/limits/request-lease.ts';
import { isTransient } from '#lambdas/platform/aws/errors.ts';
import type { JsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableUpdates } from '#lambdas/platform/dynamodb/json-updates.ts';
import type { TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { errorFields, log } from '#lambdas/platform/telemetry/log.ts';
import type { Pricing } from '#lambdas/pricing/pricing.ts';
import { inputTokens } from '#lambdas/pricing/usage.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import type { KnownFacts } from '../completion/facts.ts';
import type { PreparedRequest } from '../providers/provider.ts';
import type { Exchange } from './exchange.ts';
import { likelyOutputTokens } from './likely-output.ts';

interface AdmissionDependencies {
  dynamodb: JsonService;
  calls: Pick<TableCalls, 'get'>;
  /** The table of counters. */
  tableName: string;
  loadPricing(): Promise<Pricing>;
  now(): Date;
}

interface AdmittedRequest {
  /** The text of the body. */
  text: string;
  prepared: PreparedRequest;
  /** Its usage, as far as it is known before it is sent. */
  input: KnownFacts;
  /** For a further attempt of a request that the rate limits have admitted. */
  budgetsOnly: boolean;
}

/** For the exchange, with the error if a limit refuses the request, or a budget cannot be checked. */
type AdmittedFields = Pick<Exchange, 'reservation' | 'lease' | 'refusal' | 'rateLimitHeaders' | 'error'>;

export type AdmitRequest = (
  exchange: Readonly<Exchange>,
  request: AdmittedRequest,
) => Promise<AdmittedFields>;

export function createAdmitRequest(dependencies: AdmissionDependencies): AdmitRequest {
  const { dynamodb, tableName, loadPricing, now } = dependencies;
  const calls = { ...createJsonTableUpdates(dynamodb), get: dependencies.calls.get };
  const admit = createAdmit({ calls, tableName, now, onFailure: logFailure });
  return async (exchange, { text, prepared, input, budgetsOnly }) => {
    const { apiKey, id, receivedAtMs } = exchange;
    let usd: Usd | null = '0';
    if (hasHardBudget(apiKey)) {
      try {
        usd = await maxCostOf(exchange, prepared, await loadPricing());
      } catch (error) {
        if (!isTransient(error)) throw error;
        logUnexpected(error);
        countUnavailable(apiKey);
        return refused(budgetUnavailableError());
      }
      const owners = limitedOwnersOf(apiKey);
      if (usd === null && !owners.every(({ ref }) => ref === null || ref.allows_unpriced)) {
        return refused(modelNotPricedError(exchange.parsed?.model ?? ''));
      }
    }
    const tokens = hasTokenLimit(apiKey) && !budgetsOnly ? await likelyTokens({ text, prepared, input }) : 0;
    const request = {
      budgetsOnly,
      apiKey,
      logShard: shardOfLogId(id),
      receivedAtMs,
      usd: usd ?? '0',
      tokens,
    };
    const { rates, lease, ...admission } = await admit(request);
    if (admission.error?.code === 'service_unavailable') countUnavailable(apiKey);
    const format = exchange.operation.name === 'messages' ? 'anthropic' : 'openai';
    return {
      ...admission,
      lease: lease && renewRegularly(lease),
      rateLimitHeaders: budgetsOnly ? exchange.rateLimitHeaders : rateLimitHeaders(format, rates, now()),
    };
  };
}

function refused(error: GatewayError): AdmittedFields {
  return { reservation: null, lease: null, refusal: null, rateLimitHeaders: {}, error };
}

function countUnavailable({ organization_id, id: api_key_id }: Exchange['apiKey']): void {
  log.error('budget_not_checked', { organization_id, api_key_id }, { InternalErrors: 1 });
}

function logFailure(error: unknown, scope: BudgetScope, effect: LimitFailure): void {
  const owner = { organization_id: scope.organizationId, api_key_id: scope.keyId };
  const fields = { ...owner, ...errorFields(error) };
  if (effect === 'not limited') log.error('rate_limits_not_checked', fields, { RateLimitsNotChecked: 1 });
  // A lease that is not renewed or ended expires.
  else log.error('budget_counter_not_written', { ...fields, effect });
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

function hasTokenLimit({ organization_rate_limits, key_rate_limits }: Exchange['apiKey']): boolean {
  return [organization_rate_limits, key_rate_limits].some(
    (limits) => limits?.tokens_per_minute !== undefined,
  );
}

/** The estimated input, and the limit of the output that the caller has set: it is replaced by the actual usage at the end. */
async function likelyTokens({
  text,
  prepared,
  input,
}: Omit<AdmittedRequest, 'budgetsOnly'>): Promise<number> {
  const { completions } = await prepared.outputLimit();
  const output = completions * likelyOutputTokens(text);
  const { usage } = input.facts;
  return Math.min((usage === null ? 0 : inputTokens(usage)) + output, Number.MAX_SAFE_INTEGER);
}
