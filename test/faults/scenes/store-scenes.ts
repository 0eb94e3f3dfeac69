/** Faults of DynamoDB and SQS. */
import { plainAndStreamed } from '../harness/callers.ts';
import type { Fault } from '../harness/fault-proxy.ts';
import type { Scene, Stage } from '../scene.ts';

const writes = ['PutItem', 'UpdateItem'];

export const storeScenes: readonly Scene[] = [
  {
    fault: 'none',
    mark: 'none',
    requests: { short: 120, long: 12_000 },
    run: (stage) => stage.traffic({ manners: plainAndStreamed }).done,
  },
  {
    fault: 'DynamoDB answers a third of its calls late, some later than the function waits',
    mark: 'slow',
    requests: { short: 60, long: 4_000 },
    run: (stage) => underFault(stage, { kind: 'slow', upToMs: 2500, share: 0.3 }),
  },
  {
    fault: 'DynamoDB throttles 30 % of its calls',
    mark: 'throttled',
    requests: { short: 80, long: 10_000 },
    run: (stage) => underFault(stage, { kind: 'throttled', share: 0.3 }),
  },
  {
    fault: 'DynamoDB refuses connections for a while',
    mark: 'refused',
    requests: { short: 80, long: 10_000 },
    run: (stage) => underFault(stage, { kind: 'refused' }),
  },
  {
    fault: 'DynamoDB is killed under load, and started again',
    mark: 'restarted',
    requests: { short: 80, long: 8_000 },
    async run({ world: { engine }, traffic }) {
      const { reached, done } = traffic({ manners: plainAndStreamed });
      await reached(0.3);
      await engine.kill();
      await reached(0.6);
      await engine.start();
      await done;
    },
  },
  {
    fault: 'DynamoDB writes, and 30 % of its answers do not arrive',
    mark: 'swallowed',
    requests: { short: 80, long: 8_000 },
    run: (stage) => underFault(stage, { kind: 'swallowed', operations: writes, share: 0.3 }),
  },
  {
    fault: 'SQS is away while DynamoDB is away',
    mark: 'both-away',
    requests: { short: 60, long: 6_000 },
    async run(stage) {
      await stage.world.sqs.set({ kind: 'refused' });
      await underFault(stage, { kind: 'refused' });
    },
  },
];

/** From when a quarter of the requests has ended until three quarters have. */
async function underFault({ world: { dynamoDb }, traffic }: Stage, fault: Fault): Promise<void> {
  const { reached, done } = traffic({ manners: plainAndStreamed });
  await reached(0.25);
  await dynamoDb.set(fault);
  await reached(0.75);
  await dynamoDb.set(null);
  await done;
}
