/** Requests that hold parts of their limits, and the kills of their functions. */
import { expect } from 'vitest';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import type { ClientResult } from '../support/client.ts';
import { alternateStreaming, startTraffic } from '../support/client-traffic.ts';
import { respondSlowly, respondWhile } from '../support/provider-behaviours.ts';
import { waitUntil } from '../support/wait-until.ts';
import { ampleLimits } from './applied-limits.ts';

const kills = 20;
const [streams, concurrent, waves] = [200, 20, 2];
/** 20 requests hold their place while the others are refused. The chat function may have a few more processes. */
const clients = concurrent + 6;

export const limitScenarios: readonly Scenario[] = [
  {
    fault: 'none, but 200 streams of a key that may have 20 at once, twice',
    correlationIdPrefix: 'limited-streams',
    // On a busy machine, writes exceed the time limits of the product: `parallel-streams.test.ts` is the short form.
    requests: { long: waves * streams },
    clients,
    // With a hard budget, no request is admitted when the write to its counter is slow.
    limits: { ...ampleLimits, keyRateLimits: { concurrent } },
    hasExpectedEffects: ({ outcomes }) => outcomes.completed === waves * concurrent,
    run: sendStreams,
  },
  {
    fault: 'the chat function is killed under load, twenty times, while requests hold parts of hard budgets',
    correlationIdPrefix: 'limited-killed',
    requests: { short: 120, long: 1300 },
    limits: ampleLimits,
    killsChat: true,
    hasExpectedEffects: ({ outcomes }) => (outcomes.interrupted ?? 0) > 0,
    run: killRepeatedly,
  },
];

/** The short form kills one process at a time, at a random moment of its request. */
async function killRepeatedly({ fixture, form, random, startTraffic }: ScenarioContext): Promise<void> {
  fixture.provider.behaviour = respondSlowly(8);
  const { reached, done } = startTraffic({ clientBehaviour: alternateStreaming });
  const chooseOne = (all: readonly number[]) => {
    const index = Math.floor(random() * all.length);
    return all.slice(index, index + 1);
  };
  for (let kill = 1; kill <= kills; kill++) {
    await reached(kill / (kills + 1));
    fixture.kill('Chat', form === 'short' ? chooseOne : undefined);
  }
  await done;
}

const maxWaveMs = 50_000;

/** Some streams are held until all others are refused. Then as many are admitted again. */
async function sendStreams(context: ScenarioContext): Promise<void> {
  const { fixture, organization } = context;
  const { provider, operator } = fixture;
  await startProcesses(context);
  for (let wave = 0; wave < waves; wave++) {
    const results: ClientResult[] = [];
    let [maxInFlight, isHeld] = [0, true];
    const respond = respondWhile(() => isHeld);
    provider.behaviour = (call) => {
      maxInFlight = Math.max(maxInFlight, provider.inFlight());
      return respond(call);
    };
    const options = {
      clientBehaviour: () => ({ stream: true }),
      onResult: (result: ClientResult) => void results.push(result),
    };
    const { done } = context.startTraffic(options, [wave / waves, (wave + 1) / waves]);
    await waitUntil(maxWaveMs, () => results.length + provider.inFlight() >= streams);
    isHeld = false;
    await done;
    expect({ maxInFlight, results: tally(results) }).toEqual({
      maxInFlight: concurrent,
      results: { 200: concurrent, '429 rate_limit_exceeded, retry-after 1': streams - concurrent },
    });
    // An entry is written when its request has given its place back.
    const completed = async () =>
      (await operator.readEntries(organization)).filter(({ outcome }) => outcome === 'completed');
    await waitUntil(maxWaveMs, async () => (await completed()).length === concurrent * (wave + 1));
  }
}

/** With another key, so that the streams do not wait for processes to start. */
async function startProcesses({ fixture }: ScenarioContext): Promise<void> {
  const { provider, operator, gateway, log } = fixture;
  const { apiKey } = await operator.createOrganization(ampleLimits);
  let isHeld = true;
  provider.behaviour = respondWhile(() => isHeld);
  const { done } = startTraffic({
    correlationIdPrefix: 'unlimited',
    range: [0, clients],
    clients,
    origins: [gateway.chatUrl, gateway.baseUrl],
    apiKey,
    clientBehaviour: () => ({ stream: true }),
  });
  await waitUntil(maxWaveMs, () => provider.inFlight() === clients);
  isHeld = false;
  await done;
  provider.clear();
  log.clear();
}

function tally(results: readonly ClientResult[]): Record<string, number> {
  const names = results.map(({ status, body, headers }) => {
    if (status === 200) return '200';
    const code = /"code":\s*"(\w+)"/.exec(body)?.[1];
    return `${status} ${code}, retry-after ${headers['retry-after']}`;
  });
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}
