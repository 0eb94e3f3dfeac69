/** Hours of ordinary days: callers of all kinds who pause in between, and somebody who looks at the costs. */
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { errorResponse } from '#test/support/providers/openai/openai-responses.ts';
import type { Behaviour } from '../harness/counting-provider.ts';
import { type CallerManners, type CallResult, callOnce } from '../harness/one-call.ts';
import { resetsMidStream, takesItsTime, talksMuch, well } from '../harness/provider-answers.ts';
import type { Random } from '../harness/random.ts';
import type { Stage } from '../scene.ts';

const callers = 24;
const longestPauseMs = 1500;
const reportEveryMs = 2000;

/** By status, `report` or `failed report`. */
export type Tally = Map<CallResult['status'] | string, number>;

export async function runMixedTraffic(
  stage: Stage,
  settings: { mark: string; untilMs: number },
): Promise<Tally> {
  const { world, customer, random } = stage;
  const { chatUrl, baseUrl } = world.gateway;
  const tally: Tally = new Map();
  const count = (what: CallResult['status'] | string) => tally.set(what, (tally.get(what) ?? 0) + 1);
  const isTime = () => Date.now() < settings.untilMs;
  world.provider.behaviour = dailyBehaviour(random);
  const agent = new Agent({ keepAlive: true });
  let number = 0;
  const call = async () => {
    while (isTime()) {
      number += 1;
      const origin = number % 2 === 0 ? chatUrl : baseUrl;
      const mark = `${settings.mark}-${number}`;
      const result = await callOnce({ origin, agent, apiKey: customer.apiKey, mark, ...mannersOf(random) });
      count(result.status);
      await delay(random() * longestPauseMs);
    }
  };
  const look = async () => {
    const paths = ['/api/costs', '/api/logs?limit=50', '/api/costs?group_by=session_id&limit=20'];
    for (let turn = 0; isTime(); turn += 1) {
      const response = await fetch(`${baseUrl}${paths[turn % paths.length]}`, {
        headers: { authorization: `Bearer ${customer.apiKey}` },
      });
      await response.arrayBuffer();
      count(response.ok ? 'report' : 'failed report');
      await delay(reportEveryMs);
    }
  };
  await Promise.all([look(), ...Array.from({ length: callers }, call)]);
  agent.destroy();
  stage.played.requests = number;
  return tally;
}

function mannersOf(random: Random): CallerManners {
  return {
    stream: random() < 0.7,
    promptLength: random() < 0.05 ? 200_000 : 200,
    ...(random() < 0.1 && { readsEveryMs: 20 }),
    ...(random() < 0.1 && { leaves: random() < 0.5 ? { afterMs: random() * 100 } : ('mid-answer' as const) }),
  };
}

function dailyBehaviour(random: Random): Behaviour {
  return (call) => {
    const chance = random();
    if (chance < 0.03) return talksMuch(2_000_000)(call);
    if (chance < 0.06) return resetsMidStream(call);
    if (chance < 0.09) return errorResponse(500);
    return chance < 0.6 ? takesItsTime(30)(call) : well(call);
  };
}
