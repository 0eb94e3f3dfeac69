/** One row of the fault suite: a fault, requests while it lasts, and what must be so when it is over. */
import type { Outcome } from '#lambdas/request-log/entry.ts';
import type { Form } from '#test/support/test-form.ts';
import type { Findings } from './harness/audit.ts';
import { type RunningTraffic, startTraffic, type Traffic } from './harness/callers.ts';
import type { FaultEnvironment } from './harness/fault-environment.ts';
import type { Customer } from './harness/operator.ts';
import type { Random } from './harness/random.ts';

export interface Scene {
  /** As the table shows it. */
  fault: string;
  /** In front of its requests' marks: letters and hyphens. */
  mark: string;
  /** Only some scenes have a short form. */
  requests: { short?: number; long: number };
  /** How many call at once, where it is not as many as usual. */
  callers?: number;
  /** Whether the effects are those of the fault: a row of a fault that nobody felt proves nothing. */
  isFelt?(effects: Effects): boolean;
  /** What is under way at the end is ended too, so that the log is all that is left of it. */
  killsChat?: boolean;
  /** Resolves when all requests have been answered; what fails then may go on failing. */
  run(stage: Stage): Promise<void>;
}

export interface Played {
  /** How many requests there were, where that shows only then. */
  requests: number;
  /** Looks at what is left, where it is not of requests that reached the provider. */
  findings(): Promise<Findings>;
}

/** How the requests of a scene came to their entries, where it was not by the usual way. */
export interface Effects {
  /** Sent to the queue by the chat function, those included that came there twice. */
  queued: number;
  /** Of requests whose entry was in the log alone. */
  notWritten: number;
  /** Times that a request was sent to the provider again. */
  retries: number;
  outcomes: Partial<Record<Outcome, number>>;
}

export interface Stage {
  world: FaultEnvironment;
  customer: Customer;
  form: Form;
  random: Random;
  requests: number;
  /** How many entries the chat function has sent to the queue since the scene began. */
  queued(): number;
  /** What is known of the scene when it has been played, and not before. */
  played: Partial<Played>;
  /** Begins the scene's requests, or those from one share of them to another. */
  traffic(how: Pick<Traffic, 'manners'>, part?: readonly [from: number, to: number]): RunningTraffic;
}

const usualCallers: Record<Form, number> = { short: 16, long: 40 };

export function setStage(
  parts: Omit<Stage, 'requests' | 'queued' | 'played' | 'traffic'>,
  { mark, requests: { short = 0, long }, callers }: Scene,
): Stage {
  const { form, world, customer } = parts;
  const requests = form === 'short' ? short : long;
  const { chatUrl, baseUrl } = world.gateway;
  const queuedBefore = world.sqs.calls('SendMessage');
  return {
    ...parts,
    requests,
    played: {},
    queued: () => world.sqs.calls('SendMessage') - queuedBefore,
    traffic: ({ manners }, [from, to] = [0, 1]) =>
      startTraffic({
        name: mark,
        numbers: [Math.round(from * requests), Math.round(to * requests)],
        callers: callers ?? usualCallers[form],
        origins: [chatUrl, baseUrl],
        apiKey: customer.apiKey,
        manners,
      }),
  };
}
