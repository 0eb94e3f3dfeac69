/** Kills the recovery function at the awaits of a batch of messages, which is then redelivered. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { findCostViolations, type InvariantReport } from '../support/invariants.ts';
import { waitUntil } from '../support/wait-until.ts';
import { killAtAwaits } from './kill-at-awaits.ts';
import { readFunctionEnvironment, startKillableFunction } from './killable-function.ts';
import { createEntries } from './log-entries.ts';

const entriesPerBatch = 3;

export const recoveryAwaitScenario: Scenario = {
  fault: 'the recovery function is killed at its awaits, and its messages are redelivered',
  correlationIdPrefix: 'recovery-await',
  requests: { short: 12, long: 0 },
  async run(context) {
    const { fixture, form, organization } = context;
    const variables = readFunctionEnvironment(fixture, 'Recovery');
    const all: LogEntry[] = [];
    const events: object[] = [];
    await killAtAwaits({
      environment: variables,
      form,
      onLine: fixture.log.add,
      async createEvents() {
        const entries = createEntries(organization, entriesPerBatch);
        const event = { Records: entries.map(toSqsRecord) };
        all.push(...entries);
        events.push(event);
        return [event];
      },
    });
    const redelivery = await startKillableFunction({
      environment: variables,
      onLine: fixture.log.add,
    });
    for (const event of events) await redelivery.invoke(event);
    await redelivery.stop();
    context.overrides = { requests: all.length, checkInvariants: () => checkWrittenEntries(context, all) };
  },
};

function toSqsRecord(entry: LogEntry, index: number): object {
  return {
    messageId: String(index),
    receiptHandle: String(index),
    body: JSON.stringify({ entry: serializeLogEntry(entry) }),
    attributes: { ApproximateReceiveCount: '1' },
    eventSource: 'aws:sqs',
  };
}

async function checkWrittenEntries(
  { fixture: { operator }, organization }: ScenarioContext,
  sent: readonly LogEntry[],
): Promise<InvariantReport> {
  const entries = await operator.readEntries(organization);
  const ids = new Set(entries.map(({ id }) => id));
  const lost = sent.filter(({ id }) => !ids.has(id)).length;
  const findViolations = async () =>
    findCostViolations({ entries: sent, costs: await operator.readCosts(organization) });
  await waitUntil(60_000, async () => (await findViolations()).length === 0);
  return {
    received: sent.length,
    entries: entries.length,
    interrupted: 0,
    lost,
    duplicated: entries.length - (sent.length - lost),
    violations: await findViolations(),
  };
}
