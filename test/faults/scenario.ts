/** A fault scenario: one row of the suite, with its fault, its traffic and the effects that the fault must have. */
import type { Outcome } from '#lambdas/request-log/entry.ts';
import type { TestForm } from '#test/support/test-form.ts';
import type { Random } from '../support/seeded-random.ts';
import type { AppliedLimits } from './limits/applied-limits.ts';
import { type RunningTraffic, startTraffic, type TrafficOptions } from './support/client-traffic.ts';
import type { FaultFixture } from './support/fault-fixture.ts';
import type { InvariantReport } from './support/invariants.ts';
import type { TestOrganization } from './support/operator.ts';

export interface Scenario {
  /** The name in the result table. */
  fault: string;
  /** Letters and hyphens. */
  correlationIdPrefix: string;
  requests: { short?: number; long: number };
  /** Concurrent clients. Defaults to the number for the form. */
  clients?: number;
  /** Hard budgets and rate limits, whose counters are checked in the end. */
  limits?: AppliedLimits;
  /** Returns false when the fault had no effect: such a scenario proves nothing. */
  hasExpectedEffects?(effects: Effects): boolean;
  /** Set to tell the functions when clients disconnect, which AWS does not. */
  reportDisconnects?: boolean;
  /** Set to kill the chat functions in the end too, so that the log is all that remains of requests in flight. */
  killsChat?: boolean;
  /** Resolves when every request has ended. The fault may still be active. */
  run(context: ScenarioContext): Promise<void>;
}

/** Replaces the default results of a scenario that invokes functions directly. */
export interface ResultOverrides {
  requests: number;
  checkInvariants(): Promise<InvariantReport>;
}

/** The ways in which requests came to their entries, other than by a first successful write. */
export interface Effects {
  /** Messages that the chat function sent to the queue, duplicates included. */
  queued: number;
  /** Requests whose entry was only in the log. */
  notWritten: number;
  retries: number;
  outcomes: Partial<Record<Outcome, number>>;
}

export interface ScenarioContext {
  fixture: FaultFixture;
  organization: TestOrganization;
  form: TestForm;
  random: Random;
  requests: number;
  queuedCount(): number;
  overrides: Partial<ResultOverrides>;
  /** Starts the scenario's requests, or a part of them, from one share to another. */
  startTraffic(
    options: Pick<TrafficOptions, 'clientBehaviour' | 'onResult'>,
    part?: readonly [from: number, to: number],
  ): RunningTraffic;
}

const defaultClients: Record<TestForm, number> = { short: 16, long: 40 };

export function createScenarioContext(
  base: Pick<ScenarioContext, 'fixture' | 'organization' | 'form' | 'random'>,
  { correlationIdPrefix, requests: { short = 0, long }, clients }: Scenario,
): ScenarioContext {
  const { form, fixture, organization } = base;
  const requests = form === 'short' ? short : long;
  const { chatUrl, baseUrl } = fixture.gateway;
  const queuedBefore = fixture.sqs.callCount('SendMessage');
  return {
    ...base,
    requests,
    overrides: {},
    queuedCount: () => fixture.sqs.callCount('SendMessage') - queuedBefore,
    startTraffic: (options, [from, to] = [0, 1]) =>
      startTraffic({
        ...options,
        correlationIdPrefix,
        range: [Math.round(from * requests), Math.round(to * requests)],
        clients: clients ?? defaultClients[form],
        origins: [chatUrl, baseUrl],
        apiKey: organization.apiKey,
      }),
  };
}
