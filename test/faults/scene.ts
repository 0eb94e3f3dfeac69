/** One row of the fault suite: a fault, requests while it lasts, and what must be so when it is over. */
import { type RunningTraffic, startTraffic, type Traffic } from './harness/callers.ts';
import type { FaultWorld } from './harness/fault-world.ts';
import type { Customer, Operator } from './harness/operator.ts';
import type { Random } from './harness/random.ts';

export type Form = 'short' | 'long';

export interface Scene {
  /** As the table shows it. */
  fault: string;
  /** In front of its requests' marks: letters and hyphens. */
  mark: string;
  requests: Record<Form, number>;
  /** What is under way at the end is ended too, so that the log is all that is left of it. */
  killsChat?: boolean;
  /** Resolves when all requests have been answered; what fails then may go on failing. */
  run(stage: Stage): Promise<void>;
}

export interface Stage {
  world: FaultWorld;
  operator: Operator;
  customer: Customer;
  form: Form;
  random: Random;
  requests: number;
  /** Begins the scene's requests. */
  traffic(how: Pick<Traffic, 'manners'> & Partial<Pick<Traffic, 'callers' | 'requests'>>): RunningTraffic;
}

const usualCallers: Record<Form, number> = { short: 16, long: 40 };

export function setStage(parts: Omit<Stage, 'requests' | 'traffic'>, { mark, requests }: Scene): Stage {
  const { form, world, customer } = parts;
  const { chatUrl, baseUrl } = world.gateway;
  return {
    ...parts,
    requests: requests[form],
    traffic: (how) =>
      startTraffic({
        name: mark,
        requests: requests[form],
        callers: usualCallers[form],
        origins: [chatUrl, baseUrl],
        apiKey: customer.apiKey,
        ...how,
      }),
  };
}
