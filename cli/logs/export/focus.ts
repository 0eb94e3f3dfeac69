/** Log entries as rows of FOCUS: one for each billed part. */

import type { Organization } from '#lambdas/access/directory.ts';
import { partCostsOf } from '#lambdas/costs/part-costs.ts';
import type { KnownPrices } from '#lambdas/costs/price-request.ts';
import { secondMs } from '#lambdas/platform/duration.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { inputTokens } from '#lambdas/pricing/usage.ts';
import { focusHeader, focusLine, focusSubjects } from '#lambdas/reports/focus.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { uncertainCosts, uncertainRequests, uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';

/** The organizations are those of all entries. */
export function createFocusFormat(organizations: readonly Organization[], prices: KnownPrices) {
  const organizationNames = new Map(organizations.map(({ id, name }) => [id, name]));
  return {
    header: focusHeader,
    lines(entry: LogEntry): string {
      const { provider, organization_id: organizationId, operation, service_tier, speed } = entry;
      // Only rejected requests have no provider.
      if (provider === null || !reachedProvider(entry)) return '';
      const uncertainty = uncertaintyOf(entry);
      const shared = {
        organizationId,
        organizationName: organizationNames.get(organizationId) ?? null,
        subject: focusSubjects[operation].one,
        provider,
        tiers: [service_tier, speed],
        apiKeyName: null,
        window: wholeSeconds(entry),
      };
      return partCostsOf(entry, prices)
        .map(({ model, usage, costUsd }, index) => {
          const tokens = inputTokens(usage) + usage.outputTokens;
          // A request counts in its first row, but its cost can be in several. An attempt is no request.
          const isCounted = index === 0 && entry.superseded_by === null;
          const requests = uncertainRequests(isCounted ? uncertainty : null);
          const uncertain = { ...requests, ...uncertainCosts(uncertainty, costUsd) };
          return focusLine({ ...shared, model: model || entry.model, tokens, costUsd, uncertain });
        })
        .join('');
    },
  };
}

/** Rounded outwards, at least one second. */
function wholeSeconds({ created_at, latency_ms }: LogEntry): TimeWindow {
  const createdMs = Date.parse(created_at);
  const startMs = Math.floor(createdMs / secondMs) * secondMs;
  const endMs = Math.ceil((createdMs + latency_ms) / secondMs) * secondMs;
  return { startMs, endMs: Math.max(endMs, startMs + secondMs) };
}
