/** Kills the chat function at the awaits of a request to a route, before, between and after its attempts. */
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { ampleLimits } from '../limits/applied-limits.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { findCostViolations, type InvariantReport } from '../support/invariants.ts';
import { respondNormally } from '../support/provider-behaviours.ts';
import { killChatAtAwaits } from './chat.ts';

export const routeAwaitScenario: Scenario = {
  fault: 'the chat function is killed at the awaits of a request whose first target fails, with hard budgets',
  correlationIdPrefix: 'route-await',
  requests: { short: 12, long: 0 },
  limits: ampleLimits,
  killsChat: true,
  hasExpectedEffects: ({ outcomes }) => (outcomes.interrupted ?? 0) > 0 && (outcomes.provider_error ?? 0) > 0,
  async run(context) {
    const { fixture, organization } = context;
    await fixture.operator.setRoute(organization.organizationId, 'main', {
      strategy: 'order',
      targets: [{ model: 'openai/gpt-4o-mini' }, { model: 'openai/gpt-4o' }],
    });
    fixture.provider.behaviour = (call) => (call.attempt === 1 ? errorResponse(500) : respondNormally(call));
    await killChatAtAwaits(context, 'route-await', { model: 'route/main', shortPoints: 24 });
    context.overrides.checkInvariants = () => checkAttempts(context);
  },
};

async function checkAttempts({ fixture, organization }: ScenarioContext): Promise<InvariantReport> {
  const { operator, provider } = fixture;
  const entries = (await operator.readEntries(organization)).filter(reachedProvider);
  const byRequest = Map.groupBy(entries, ({ session_id }) => session_id ?? '');
  const costs = await operator.readCosts(organization);
  const rollupDifferences = await operator.countRollupDifferences(organization);
  const report = {
    received: 0,
    entries: entries.length,
    interrupted: entries.filter(({ outcome }) => outcome === 'interrupted').length,
    lost: 0,
    duplicated: 0,
    violations: findCostViolations({ entries, costs, rollupDifferences }),
  };
  for (const [correlationId, attempts] of byRequest) {
    // The function may have been killed right before the call.
    const sent = provider.calls.get(correlationId)?.length ?? 0;
    const isKilledBeforeCall = attempts.length === sent + 1 && hasInterrupted(attempts);
    report.received += isKilledBeforeCall ? attempts.length : sent;
    report.violations.push(...findLinkViolations(correlationId, attempts));
  }
  report.lost = [...provider.calls.keys()].filter((correlationId) => !byRequest.has(correlationId)).length;
  return report;
}

function hasInterrupted(entries: readonly LogEntry[]): boolean {
  return entries.some(({ outcome }) => outcome === 'interrupted');
}

/** Each attempt has its number and target, and all but the last one name the entry of the request. */
function findLinkViolations(correlationId: string, entries: readonly LogEntry[]): string[] {
  const attempts = entries.toSorted((one, other) => (one.attempt ?? 0) - (other.attempt ?? 0));
  const last = attempts.at(-1);
  const actual = attempts.map(({ attempt, model, superseded_by }) => [attempt, model, superseded_by]);
  const expected = attempts.map((entry, index) => [
    index + 1,
    ['gpt-4o-mini', 'gpt-4o'][index],
    entry === last ? null : last?.id,
  ]);
  const isLinked = JSON.stringify(actual) === JSON.stringify(expected);
  return isLinked ? [] : [`${correlationId}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
}
