import type { Scenario, ScenarioContext } from '../scenario.ts';
import { alternateStreaming, withDisconnects } from '../support/client-traffic.ts';
import { entryWrites } from '../support/fault-proxy.ts';
import { respondSlowly } from '../support/provider-behaviours.ts';

export const killScenarios: readonly Scenario[] = [
  {
    fault: 'the chat function is killed under load, nine times',
    correlationIdPrefix: 'chat-killed',
    requests: { long: 1300 },
    killsChat: true,
    hasExpectedEffects: ({ outcomes }) => (outcomes.interrupted ?? 0) > 0,
    async run(context) {
      context.fixture.provider.behaviour = respondSlowly(4);
      await killDuringTraffic(context, 'Chat');
    },
  },
  {
    fault: 'the rollup function is killed under load, nine times',
    correlationIdPrefix: 'rollup-killed',
    requests: { long: 800 },
    run: (context) => killDuringTraffic(context, 'CostRollup'),
  },
  {
    fault: 'the recovery function is killed while it works, nine times, after DynamoDB was unavailable',
    correlationIdPrefix: 'recovery-killed',
    requests: { long: 600 },
    hasExpectedEffects: ({ queued }) => queued > 0,
    async run(context) {
      const { dynamoDb } = context.fixture;
      await dynamoDb.setFault({ kind: 'reset', operations: entryWrites, share: 0.9 });
      await killDuringTraffic(context, 'Recovery');
      await dynamoDb.setFault(null);
    },
  },
  {
    fault: 'several faults and kills at the same time',
    correlationIdPrefix: 'combined',
    requests: { long: 1000 },
    killsChat: true,
    async run(context) {
      const { fixture, random } = context;
      fixture.provider.behaviour = respondSlowly(2);
      await fixture.dynamoDb.setFault({ kind: 'throttled', share: 0.2 });
      await fixture.sqs.setFault({ kind: 'response_lost', share: 0.2 });
      const { reached, done } = context.startTraffic({ clientBehaviour: withDisconnects(random, 0.3) });
      for (const quarter of [1, 2, 3]) {
        await reached(quarter / 4);
        fixture.kill('Chat');
        fixture.kill('CostRollup');
      }
      await fixture.dynamoDb.setFault({ kind: 'response_lost', share: 0.2 });
      await done;
    },
  },
];

async function killDuringTraffic(
  { fixture, startTraffic }: ScenarioContext,
  functionName: string,
): Promise<void> {
  const { reached, done } = startTraffic({ clientBehaviour: alternateStreaming });
  for (const tenth of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    await reached(tenth / 10);
    fixture.kill(functionName);
  }
  await done;
}
