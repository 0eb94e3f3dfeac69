/** Many callers at once, some of whom hang up: each request with a mark of its own, as its session and in its body. */
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type CallerManners, callOnce } from './one-call.ts';
import type { Random } from './random.ts';

export interface Traffic {
  /** In front of each mark. */
  name: string;
  /** The numbers of the requests: from the first to before the second. */
  numbers: readonly [number, number];
  callers: number;
  /** The door of most requests, and that of every sixth. */
  origins: readonly [string, string];
  apiKey: string;
  /** Of the request with this number. */
  manners(number: number): CallerManners;
}

export interface RunningTraffic {
  /** Resolves when this share of the requests has ended. */
  reached(share: number): Promise<void>;
  done: Promise<void>;
}

const throttledPauseMs = 50;

export function startTraffic(traffic: Traffic): RunningTraffic {
  const { name, numbers, callers, origins, apiKey, manners } = traffic;
  const [first, end] = numbers;
  const agent = new Agent({ keepAlive: true });
  const milestones = createMilestones();
  let next = first;
  const call = async () => {
    for (let number = next++; number < end; number = next++) {
      const origin = number % 6 === 5 ? origins[1] : origins[0];
      const once = { origin, agent, apiKey, mark: `${name}-${number}`, ...manners(number) };
      let result = await callOnce(once);
      // Each attempt has its own mark: one that failed behind API Gateway may have reached the provider.
      for (let attempt = 2; result.status === 'throttled'; attempt += 1) {
        await delay(throttledPauseMs);
        result = await callOnce({ ...once, mark: `${once.mark}-${attempt}` });
      }
      milestones.pass();
    }
  };
  const done = Promise.all(Array.from({ length: callers }, call)).then(() => agent.destroy());
  return { reached: (share) => milestones.at(Math.ceil(share * (end - first))), done };
}

/** Lets others wait until so many have passed. */
function createMilestones() {
  const waiting: { count: number; resolve: () => void }[] = [];
  let passed = 0;
  return {
    pass(): void {
      passed += 1;
      for (const { resolve } of waiting.filter(({ count }) => count === passed)) resolve();
    },
    at(count: number): Promise<void> {
      return new Promise((resolve) => {
        if (passed >= count) resolve();
        else waiting.push({ count, resolve });
      });
    },
  };
}

/** Callers of all kinds: plain and streamed, in turn. */
export const plainAndStreamed = (number: number): CallerManners => ({ stream: number % 3 !== 0 });

export function hangingUp(random: Random, share: number): (number: number) => CallerManners {
  return (number) => ({
    ...plainAndStreamed(number),
    ...(random() < share && { leaves: random() < 0.5 ? { afterMs: random() * 30 } : 'mid-answer' }),
  });
}
