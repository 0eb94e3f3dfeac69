/** The recovery function, killed at each await of a batch of messages, which then comes again. */

import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { entryText } from '#lambdas/request-log/entry-json.ts';
import { type Findings, wrongCosts } from '../harness/audit.ts';
import { comesAbout } from '../harness/eventually.ts';
import type { Scene, Stage } from '../scene.ts';
import { killAtEveryAwait } from './every-await.ts';
import { environmentOf, startKillableFunction } from './killable-function.ts';
import { makeEntries } from './made-entries.ts';

const entriesEach = 3;

export const recoveryAwaitScene: Scene = {
  fault: 'the recovery function is killed at every await, and its messages come again',
  mark: 'recovery-await',
  requests: { short: 12, long: 0 },
  async run(stage) {
    const { world, form, customer } = stage;
    const environment = environmentOf(world, 'Recovery');
    const all: LogEntry[] = [];
    const events: object[] = [];
    await killAtEveryAwait({
      environment,
      form,
      onLine: world.log.add,
      async eventsFor() {
        const entries = makeEntries(customer, entriesEach);
        const event = { Records: entries.map(messageOf) };
        all.push(...entries);
        events.push(event);
        return [event];
      },
    });
    const again = await startKillableFunction({ environment, onLine: world.log.add });
    for (const event of events) await again.invoke(event);
    await again.stop();
    stage.played = { requests: all.length, findings: () => compare(stage, all) };
  },
};

function messageOf(entry: LogEntry, index: number): object {
  return {
    messageId: String(index),
    receiptHandle: String(index),
    body: JSON.stringify({ entry: entryText(entry) }),
    attributes: { ApproximateReceiveCount: '1' },
    eventSource: 'aws:sqs',
  };
}

async function compare(
  { world: { operator }, customer }: Stage,
  sent: readonly LogEntry[],
): Promise<Findings> {
  const entries = await operator.entriesOf(customer);
  const ids = new Set(entries.map(({ id }) => id));
  const lost = sent.filter(({ id }) => !ids.has(id)).length;
  const areCounted = async () => wrongCosts({ entries: sent, costs: await operator.costsOf(customer) });
  await comesAbout(60_000, async () => (await areCounted()).length === 0);
  return {
    received: sent.length,
    entries: entries.length,
    interrupted: 0,
    lost,
    doubled: entries.length - (sent.length - lost),
    wrong: await areCounted(),
  };
}
