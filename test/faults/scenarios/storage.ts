/** Faults of DynamoDB and SQS. */

import type { Scenario, ScenarioContext } from '../scenario.ts';
import { alternateStreaming } from '../support/client-traffic.ts';
import { entryWrites, type Fault } from '../support/fault-proxy.ts';
import { recoverFromLog } from '../support/recover-from-log.ts';
import { waitUntil } from '../support/wait-until.ts';

const writes = ['PutItem', 'UpdateItem'];

/** A fault stays active until it has taken effect, which takes a function all of its attempts. */
const maxEffectDelayMs = 20_000;

export const storageScenarios: readonly Scenario[] = [
  {
    fault: 'none',
    correlationIdPrefix: 'none',
    requests: { long: 1600 },
    run: (context) => context.startTraffic({ clientBehaviour: alternateStreaming }).done,
  },
  {
    fault: 'DynamoDB delays a third of its responses, some beyond the timeout',
    correlationIdPrefix: 'slow',
    requests: { long: 500 },
    run: (context) => withFaultyWrites(context, { kind: 'slow', upToMs: 2500, share: 0.3 }),
  },
  {
    fault: 'DynamoDB throttles 30 % of requests',
    correlationIdPrefix: 'throttled',
    requests: { long: 1300 },
    run: (context) => withFaultyWrites(context, { kind: 'throttled', share: 0.3 }),
  },
  {
    fault: 'DynamoDB refuses connections temporarily',
    correlationIdPrefix: 'refused',
    requests: { long: 1300 },
    hasExpectedEffects: ({ queued }) => queued > 0,
    run: (context) => withFault(context, { kind: 'refused' }, () => context.queuedCount() > 0),
  },
  {
    fault: 'DynamoDB is killed under load and restarted',
    correlationIdPrefix: 'restarted',
    requests: { long: 1000 },
    hasExpectedEffects: ({ queued }) => queued > 0,
    run(context) {
      const { engine } = context.fixture;
      return duringTraffic(context, {
        start: engine.kill,
        hasTakenEffect: () => context.queuedCount() > 0,
        end: engine.start,
      });
    },
  },
  {
    fault: 'DynamoDB writes, but 30 % of its responses are lost',
    correlationIdPrefix: 'response-lost',
    requests: { long: 1300 },
    run: (context) => withFaultyWrites(context, { kind: 'response_lost', operations: writes, share: 0.3 }),
  },
  {
    fault: 'entries are queued while an operator recovers the log',
    correlationIdPrefix: 'queued',
    requests: { short: 30, long: 500 },
    hasExpectedEffects: ({ queued, outcomes }) => queued > 0 && outcomes.interrupted === undefined,
    async run(context) {
      const { dynamoDb, sqs, log } = context.fixture;
      await sqs.setFault({ kind: 'reset', operations: ['ReceiveMessage'] });
      await dynamoDb.setFault({ kind: 'reset', operations: entryWrites });
      await context.startTraffic({ clientBehaviour: alternateStreaming }).done;
      await waitUntil(maxEffectDelayMs, () => context.queuedCount() >= log.forwarded.size);
      await dynamoDb.setFault(null);
      const placeholders = log.lines.filter((line) => line.includes('"request_forwarded"'));
      if ((await recoverFromLog(context.fixture, placeholders)) !== 'entries queued')
        throw new Error('The recovery did not wait for the queued entries');
      // The completion lines have the entries, which therefore arrive twice.
      if ((await recoverFromLog(context.fixture)) !== 'all')
        throw new Error('The recovery waited although the log has the entries');
    },
  },
  {
    fault: 'SQS and DynamoDB are unavailable at the same time',
    correlationIdPrefix: 'both-unavailable',
    requests: { short: 40, long: 1000 },
    hasExpectedEffects: ({ notWritten }) => notWritten > 0,
    async run(context) {
      const { sqs, log } = context.fixture;
      await sqs.setFault({ kind: 'refused' });
      await withFault(context, { kind: 'refused' }, () => log.notWritten.size > 0);
    },
  },
];

/** Waits until the fault has affected the entries and, later, the rollups. */
function withFaultyWrites(context: ScenarioContext, fault: Fault): Promise<void> {
  const { dynamoDb } = context.fixture;
  const before = writes.map(dynamoDb.faultCount);
  const hasTakenEffect = () =>
    writes.every((write, index) => dynamoDb.faultCount(write) > (before[index] ?? 0));
  return withFault(context, fault, hasTakenEffect);
}

/** Sets the fault while traffic runs, and clears it when it has taken effect. */
async function withFault(
  context: ScenarioContext,
  fault: Fault,
  hasTakenEffect: () => boolean,
): Promise<void> {
  const { dynamoDb } = context.fixture;
  await duringTraffic(context, {
    start: () => dynamoDb.setFault(fault),
    hasTakenEffect,
    end: () => dynamoDb.setFault(null),
  });
}

interface Outage {
  start(): Promise<void>;
  hasTakenEffect(): boolean;
  end(): Promise<void>;
}

async function duringTraffic(
  { startTraffic }: ScenarioContext,
  { start, hasTakenEffect, end }: Outage,
): Promise<void> {
  const before = startTraffic({ clientBehaviour: alternateStreaming }, [0, 0.4]);
  await before.reached(0.5);
  await start();
  const during = startTraffic({ clientBehaviour: alternateStreaming }, [0.4, 1]);
  await during.reached(0.6);
  await waitUntil(maxEffectDelayMs, hasTakenEffect);
  await end();
  await Promise.all([before.done, during.done]);
}
