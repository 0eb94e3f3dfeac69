import type { Outcome } from '#lambdas/request-log/entry.ts';
import type { Random } from '#test/support/seeded-random.ts';
import type { Effects, Scenario } from '../scenario.ts';
import { alternateStreaming } from '../support/client-traffic.ts';
import type { ProviderBehaviour } from '../support/counting-provider.ts';
import {
  overloadFirstAttempt,
  pickRandomly,
  requireApiKey,
  resetBeforeResponse,
  resetMidResponse,
  respondAtLength,
  respondNormally,
  respondSlowly,
  respondWithGarbage,
  stallBeforeResponse,
  stallMidResponse,
  truncateResponse,
} from '../support/provider-behaviours.ts';

const nextKey = 'sk-next';

export const providerScenarios: readonly Scenario[] = [
  {
    fault: 'the provider resets connections, before its response and during it',
    correlationIdPrefix: 'resets',
    requests: { long: 1000 },
    hasExpectedEffects: ({ retries, outcomes }) => retries > 0 && (outcomes.provider_error ?? 0) > 0,
    run: withBehaviour((random) =>
      pickRandomly(random, [resetBeforeResponse, resetMidResponse, respondNormally]),
    ),
  },
  {
    fault: 'the provider sends truncated and malformed responses',
    correlationIdPrefix: 'malformed',
    requests: { long: 1000 },
    hasExpectedEffects: ({ outcomes }) => (outcomes.provider_error ?? 0) > 0,
    run: withBehaviour((random) =>
      pickRandomly(random, [truncateResponse, respondWithGarbage(random), respondNormally]),
    ),
  },
  {
    fault: 'the provider stalls, before its response and during it',
    correlationIdPrefix: 'stalls',
    requests: { long: 300 },
    hasExpectedEffects: ({ outcomes }) => (outcomes.timeout ?? 0) > 0,
    run: withBehaviour((random) =>
      pickRandomly(random, [stallBeforeResponse, stallMidResponse, respondSlowly(20)]),
    ),
  },
  {
    fault: 'the provider returns 429 or 503 with retry-after at first',
    correlationIdPrefix: 'overloaded',
    requests: { long: 600 },
    // Where no time is left for a retry, the caller gets the provider's error.
    hasExpectedEffects: ({ retries, outcomes }) =>
      retries > 0 && areCompleted(outcomes, ['timeout', 'provider_error']),
    run: withBehaviour(() => overloadFirstAttempt),
  },
  {
    fault: 'the provider returns very long completions',
    correlationIdPrefix: 'huge',
    clients: 4,
    requests: { long: 100 },
    run: withBehaviour(() => respondAtLength(5_000_000)),
  },
  {
    fault: "the provider's credential is replaced under load",
    correlationIdPrefix: 'credential',
    requests: { long: 500 },
    hasExpectedEffects: ({ outcomes }) => areCompleted(outcomes, ['timeout']),
    async run({ fixture: { provider, operator }, startTraffic }) {
      const { reached, done } = startTraffic({ clientBehaviour: alternateStreaming });
      await reached(0.5);
      await operator.setProviderKey(nextKey);
      provider.behaviour = requireApiKey(nextKey);
      await done;
    },
  },
];

/** True if all requests were, but for a few whose deadline has passed because the machine is busy. */
function areCompleted(
  { completed = 0, ...others }: Effects['outcomes'],
  afterDeadline: readonly Exclude<Outcome, 'completed'>[],
): boolean {
  const late = afterDeadline.reduce((sum, outcome) => sum + (others[outcome] ?? 0), 0);
  const notCompleted = Object.values(others).reduce((sum, count) => sum + count, 0);
  return notCompleted === late && late < completed / 3;
}

function withBehaviour(createBehaviour: (random: Random) => ProviderBehaviour): Scenario['run'] {
  return ({ fixture, random, startTraffic }) => {
    fixture.provider.behaviour = createBehaviour(random);
    return startTraffic({ clientBehaviour: alternateStreaming }).done;
  };
}
