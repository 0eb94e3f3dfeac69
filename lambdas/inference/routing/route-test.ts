/** Tests a route: finds the targets that could serve a request, and sends it to none of them. */
import type { Organization } from '#lambdas/access/directory.ts';
import { type GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { CustomPriceDependencies } from '#lambdas/pricing/custom/lookup.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import type { SkipReason } from '#lambdas/request-log/fields/skipped-target.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import { defaultAttempts, type Route, type RouteTarget, routePrefix } from '#lambdas/routing/route.ts';
import { type PreparedExchange, prepareAttempt } from '../exchange/attempt.ts';
import { operations } from '../operations.ts';
import { operationPaths } from '../paths.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import type { ProviderSettingsByName } from '../providers/settings.ts';
import { prepareTarget, skipReasonOf, type TargetDependencies } from './candidates.ts';
import { probableCosts } from './probable-costs.ts';
import { orderTargets, weightOf } from './target-order.ts';

/** The providers and prices of the gateway. */
interface RouteTestSources {
  settings: ProviderSettingsByName;
  credentials: TargetDependencies['credentials'];
  /** The region of the gateway. */
  region: string;
  customPrices: Omit<CustomPriceDependencies, 'now'>;
  now(): Date;
}

type RouteTestDependencies = ReturnType<typeof openDependencies>;

function openDependencies({ settings, credentials, region, customPrices, now }: RouteTestSources) {
  // Requests are prepared, but not sent: a signature is never checked.
  const access = { region, credentials: { accessKeyId: 'none', secretAccessKey: 'none' }, endpoints: {} };
  const pricing = createPricing({ ...customPrices, now });
  return {
    providers: createProviderRegistry(settings, { access, now }),
    credentials,
    loadPricing: async () => pricing,
    now,
  };
}

export interface TestedRequest {
  name: string;
  route: Route;
  operation: OperationName;
  /** The body, whose model is replaced with the route. */
  body: JsonObject;
  /** Its hard budget may not allow models without a price. */
  organization: Pick<Organization, 'id' | 'budget'>;
  sessionId: string | null;
}

export interface RouteTest {
  /** `null` if no target could serve the request. */
  target: string | null;
  /** In the order in which they would be tried. */
  targets: TestedTarget[];
}

export interface TestedTarget {
  model: string;
  /** `first` would serve it, `next` follows on failures, and `spare` would need more attempts than the route allows. */
  decision: 'first' | 'next' | 'spare' | 'skipped';
  /** Set for a skipped target. */
  reason: SkipReason | null;
  /** The field of the request that the target does not support. */
  param: string | null;
  /** The share of such requests that it serves first, from 0 to 1; `null` unless the route distributes them by weight. */
  share: number | null;
  /** Estimated; `null` without a price. */
  cost_usd: number | null;
}

/** Throws a `GatewayError` (400) for an invalid request. */
export async function testRoute(
  sources: RouteTestSources,
  { name, route, operation, body, organization, sessionId }: TestedRequest,
): Promise<RouteTest> {
  const dependencies = openDependencies(sources);
  const load = operations[operationPaths[operation]];
  if (load === undefined) throw invalidRequestError('operation', `The operation ${operation} has no routes`);
  const text = JSON.stringify({ ...body, model: `${routePrefix}${name}` });
  const exchange = testExchange(await load(), {
    organizationId: organization.id,
    nowMs: dependencies.now().getTime(),
  });
  const parsed = exchange.operation.parse(text);
  const costs = await probableCosts(dependencies, exchange, { text, parsed, route });
  // Without a session, the target with the greatest weight is the most probable one.
  const order = { sessionId, costsUsd: costs, random: () => 0.5 };
  const requiresPrice = organization.budget?.allows_unpriced === false;
  const tested: OrderedTarget[] = [];
  let suitable = 0;
  for (const target of orderTargets(route, order)) {
    const cost_usd = costs[route.targets.indexOf(target)] ?? null;
    const skipped =
      (await findSkipReason(dependencies, { ...exchange }, { target, route, text })) ??
      (requiresPrice && cost_usd === null ? notPriced : null);
    const decision = skipped === null ? decisionOf(suitable++, route) : 'skipped';
    const result = {
      model: target.model,
      decision,
      reason: null,
      param: null,
      ...skipped,
      share: null,
      cost_usd,
    };
    tested.push({ target, result });
  }
  if (route.strategy === 'weight') setShares(tested, route);
  const targets = tested.map(({ result }) => result);
  const first = targets.find(({ decision }) => decision === 'first');
  return { target: first?.model ?? null, targets };
}

interface OrderedTarget {
  target: RouteTarget;
  result: TestedTarget;
}

const notPriced = { reason: 'not_priced', param: null } as const;

/** Targets that are tried before count as attempts. */
function decisionOf(earlier: number, { attempts = defaultAttempts }: Route): TestedTarget['decision'] {
  if (earlier === 0) return 'first';
  return earlier < attempts ? 'next' : 'spare';
}

async function findSkipReason(
  dependencies: RouteTestDependencies,
  exchange: PreparedExchange,
  request: { target: RouteTarget; route: Route; text: string },
): Promise<Pick<TestedTarget, 'reason' | 'param'> | null> {
  const loadConversationState = () => Promise.reject(unknownResponseError());
  try {
    await prepareTarget(
      { ...dependencies, prepare: prepareAttempt, loadConversationState },
      exchange,
      request,
    );
    return null;
  } catch (error) {
    const reason = skipReasonOf(error);
    if (reason === null) throw error;
    return reason;
  }
}

function unknownResponseError(): GatewayError {
  return invalidRequestError('previous_response_id', 'A test of a route cannot continue a response');
}

function testExchange(
  operation: PreparedExchange['operation'],
  { organizationId, nowMs }: { organizationId: string; nowMs: number },
): PreparedExchange {
  return {
    id: createLogId(nowMs),
    receivedAtMs: nowMs,
    request: { headers: {} },
    operation,
    apiKey: { organization_id: organizationId },
    parsed: null,
    provider: null,
    model: null,
    ignoredParameters: [],
  };
}

/** The share of targets that are skipped goes to the first one of the list that is not. */
function setShares(tested: readonly OrderedTarget[], { targets }: Route): void {
  const total = targets.reduce((sum, target) => sum + weightOf(target), 0);
  const isSkipped = (target: RouteTarget) =>
    tested.some((ordered) => ordered.target === target && ordered.result.decision === 'skipped');
  const skippedWeight = targets.filter(isSkipped).reduce((sum, target) => sum + weightOf(target), 0);
  const heir = targets.find((target) => !isSkipped(target));
  for (const { target, result } of tested) {
    const weight = isSkipped(target) ? 0 : weightOf(target) + (target === heir ? skippedWeight : 0);
    result.share = weight / total;
  }
}
