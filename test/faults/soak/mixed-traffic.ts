/** Long-running mixed traffic: clients of all kinds that pause between requests, and one that reads reports. */
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import type { Random } from '#test/support/seeded-random.ts';
import type { ScenarioContext } from '../scenario.ts';
import { type ClientBehaviour, type ClientResult, sendRequest } from '../support/client.ts';
import type { ProviderBehaviour } from '../support/counting-provider.ts';
import {
  resetMidResponse,
  respondAtLength,
  respondNormally,
  respondSlowly,
} from '../support/provider-behaviours.ts';

const clients = 24;
const maxPauseMs = 1500;
const reportIntervalMs = 2000;

/** Counts by status, `report` or `failed report`. */
export type Tally = Map<ClientResult['status'] | string, number>;

export async function runMixedTraffic(
  context: ScenarioContext,
  { correlationIdPrefix, untilMs }: { correlationIdPrefix: string; untilMs: number },
): Promise<Tally> {
  const { fixture, organization, random } = context;
  const { chatUrl, baseUrl } = fixture.gateway;
  const tally: Tally = new Map();
  const count = (name: ClientResult['status'] | string) => tally.set(name, (tally.get(name) ?? 0) + 1);
  const isRunning = () => Date.now() < untilMs;
  fixture.provider.behaviour = randomProviderBehaviour(random);
  const agent = new Agent({ keepAlive: true });
  let number = 0;
  const sendRequests = async () => {
    while (isRunning()) {
      number += 1;
      const origin = number % 2 === 0 ? chatUrl : baseUrl;
      const correlationId = `${correlationIdPrefix}-${number}`;
      const result = await sendRequest({
        origin,
        agent,
        apiKey: organization.apiKey,
        correlationId,
        ...randomClientBehaviour(random),
      });
      count(result.status);
      await delay(random() * maxPauseMs);
    }
  };
  const readReports = async () => {
    const paths = ['/api/costs', '/api/logs?limit=50', '/api/costs?group_by=session_id&limit=20'];
    for (let turn = 0; isRunning(); turn += 1) {
      const response = await fetch(`${baseUrl}${paths[turn % paths.length]}`, {
        headers: { authorization: `Bearer ${organization.apiKey}` },
      });
      await response.arrayBuffer();
      count(response.ok ? 'report' : 'failed report');
      await delay(reportIntervalMs);
    }
  };
  await Promise.all([readReports(), ...Array.from({ length: clients }, sendRequests)]);
  agent.destroy();
  context.overrides.requests = number;
  return tally;
}

function randomClientBehaviour(random: Random): ClientBehaviour {
  return {
    stream: random() < 0.7,
    promptLength: random() < 0.05 ? 200_000 : 200,
    ...(random() < 0.1 && { readDelayMs: 20 }),
    ...(random() < 0.1 && {
      disconnects: random() < 0.5 ? { afterMs: random() * 100 } : ('mid-response' as const),
    }),
  };
}

function randomProviderBehaviour(random: Random): ProviderBehaviour {
  return (call) => {
    const chance = random();
    if (chance < 0.03) return respondAtLength(2_000_000)(call);
    if (chance < 0.06) return resetMidResponse(call);
    if (chance < 0.09) return errorResponse(500);
    return chance < 0.6 ? respondSlowly(30)(call) : respondNormally(call);
  };
}
