/** Faults of DynamoDB and SQS. */
import { plainAndStreamed } from '../harness/callers.ts';
import { comesAbout } from '../harness/eventually.ts';
import type { Fault } from '../harness/fault-proxy.ts';
import { recoverFromLog } from '../harness/recover-from-log.ts';
import type { Scene, Stage } from '../scene.ts';

const writes = ['PutItem', 'UpdateItem'];

/** An outage lasts until it shows, which takes a function its attempts. */
const showsWithinMs = 20_000;

export const storeScenes: readonly Scene[] = [
  {
    fault: 'none',
    mark: 'none',
    requests: { long: 3300 },
    run: (stage) => stage.traffic({ manners: plainAndStreamed }).done,
  },
  {
    fault: 'DynamoDB answers a third of its calls late, some later than the function waits',
    mark: 'slow',
    requests: { long: 1000 },
    run: (stage) => withFaultyWrites(stage, { kind: 'slow', upToMs: 2500, share: 0.3 }),
  },
  {
    fault: 'DynamoDB throttles 30 % of its calls',
    mark: 'throttled',
    requests: { long: 2700 },
    run: (stage) => withFaultyWrites(stage, { kind: 'throttled', share: 0.3 }),
  },
  {
    fault: 'DynamoDB refuses connections for a while',
    mark: 'refused',
    requests: { long: 2700 },
    isFelt: ({ queued }) => queued > 0,
    run: (stage) => underFault(stage, { kind: 'refused' }, () => stage.queued() > 0),
  },
  {
    fault: 'DynamoDB is killed under load, and started again',
    mark: 'restarted',
    requests: { long: 2000 },
    isFelt: ({ queued }) => queued > 0,
    run(stage) {
      const { engine } = stage.world;
      return amidstRequests(stage, {
        begin: engine.kill,
        hasShown: () => stage.queued() > 0,
        end: engine.start,
      });
    },
  },
  {
    fault: 'DynamoDB writes, and 30 % of its answers do not arrive',
    mark: 'swallowed',
    requests: { long: 2700 },
    run: (stage) => withFaultyWrites(stage, { kind: 'swallowed', operations: writes, share: 0.3 }),
  },
  {
    fault: 'entries wait in the queue while somebody recovers the log',
    mark: 'waiting',
    requests: { short: 30, long: 1000 },
    isFelt: ({ queued, outcomes }) => queued > 0 && outcomes.interrupted === undefined,
    async run(stage) {
      const { dynamoDb, sqs, log } = stage.world;
      await sqs.set({ kind: 'reset', operations: ['ReceiveMessage'] });
      await dynamoDb.set({ kind: 'reset', operations: ['PutItem'] });
      await stage.traffic({ manners: plainAndStreamed }).done;
      await comesAbout(showsWithinMs, () => stage.queued() >= log.announced.size);
      await dynamoDb.set(null);
      const recovered = await recoverFromLog(stage.world);
      if (recovered !== 'entries wait') throw new Error('Entries were put in the place of those that waited');
    },
  },
  {
    fault: 'SQS is away while DynamoDB is away',
    mark: 'both-away',
    requests: { short: 40, long: 2000 },
    isFelt: ({ notWritten }) => notWritten > 0,
    async run(stage) {
      const { sqs, log } = stage.world;
      await sqs.set({ kind: 'refused' });
      await underFault(stage, { kind: 'refused' }, () => log.notWritten.size > 0);
    },
  },
];

/** Until entries have met the fault, and sums, which come later. */
function withFaultyWrites(stage: Stage, fault: Fault): Promise<void> {
  const { dynamoDb } = stage.world;
  const before = writes.map(dynamoDb.faults);
  const hasShown = () => writes.every((write, index) => dynamoDb.faults(write) > (before[index] ?? 0));
  return underFault(stage, fault, hasShown);
}

/** Amidst requests; half of the others come while it lasts, and it lasts until it has shown. */
async function underFault(stage: Stage, fault: Fault, hasShown: () => boolean): Promise<void> {
  const { dynamoDb } = stage.world;
  await amidstRequests(stage, {
    begin: () => dynamoDb.set(fault),
    hasShown,
    end: () => dynamoDb.set(null),
  });
}

interface Outage {
  begin(): Promise<void>;
  hasShown(): boolean;
  end(): Promise<void>;
}

async function amidstRequests({ traffic }: Stage, { begin, hasShown, end }: Outage): Promise<void> {
  const before = traffic({ manners: plainAndStreamed }, [0, 0.4]);
  await before.reached(0.5);
  await begin();
  const since = traffic({ manners: plainAndStreamed }, [0.4, 1]);
  await since.reached(0.6);
  await comesAbout(showsWithinMs, hasShown);
  await end();
  await Promise.all([before.done, since.done]);
}
