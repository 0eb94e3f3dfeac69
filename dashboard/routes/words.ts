/** Routes and the decisions about their targets in plain words. */
import { skipReasonText } from '#dashboard/components/request/skip-reason.ts';
import { formatShare } from '#dashboard/components/values/number-format.ts';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import type { TestedTarget } from '#lambdas/accounts/analytics/responses.ts';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { type RouteStrategy, type RouteTarget, routePrefix } from '#lambdas/routing/route.ts';

export const strategyWords: Record<RouteStrategy, { title: string; description: string }> = {
  order: {
    title: 'In order',
    description: 'The first target serves requests. The next ones follow when it fails.',
  },
  weight: {
    title: 'By weight',
    description: 'Each target serves its share of the requests. The others follow in order when it fails.',
  },
  price: {
    title: 'Cheapest first',
    description: 'The target at which the request probably costs least, by its length and the prices.',
  },
};

/** The name by which requests use the route. */
export function modelOf({ name }: Pick<RouteSummary, 'name'>): string {
  return routePrefix + name;
}

/** Returns text such as "It would serve the request", or why it would not. */
export function decisionText({ decision, reason, param }: TestedTarget): string {
  switch (decision) {
    case 'first':
      return 'Would serve the request';
    case 'next':
      return 'Would follow if those before it failed';
    case 'spare':
      return 'Would not be tried: the route allows fewer attempts';
    case 'skipped':
      return reason === null ? 'Would be skipped' : `Would be skipped: ${skipReasonText({ reason, param })}`;
    default:
      return decision satisfies never;
  }
}

/** Returns the share of the requests or the estimated cost; `null` if it is not known and decides nothing. */
export function measureText({ share, cost_usd: cost }: TestedTarget, strategy: RouteStrategy): string | null {
  switch (strategy) {
    case 'order':
      return cost === null ? null : `About ${usdOf(cost)}`;
    case 'weight':
      return share === null ? null : `${formatShare(share)} of the requests`;
    case 'price':
      return cost === null ? 'No known price' : `About ${usdOf(cost)}`;
    default:
      return strategy satisfies never;
  }
}

/** An amount that the API states as a number. */
export function usdOf(amount: number): string {
  return formatUsd(amount.toFixed(12));
}

/** Returns what a target has of its own, such as "weight 3" and "reasoning_effort: low". */
export function settingsOf(target: RouteTarget, strategy: RouteStrategy): string[] {
  const { weight = 1, parameters = {}, first_event_seconds: seconds } = target;
  return [
    ...(strategy === 'weight' ? [`weight ${weight}`] : []),
    ...Object.entries(parameters).map(([name, value]) => `${name}: ${valueText(value)}`),
    ...(seconds === undefined ? [] : [`first event within ${seconds} s`]),
  ];
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
