import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Verification, verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { fc } from '#test/support/fast-check.ts';
import { createTables } from '#test/support/tables.ts';
import { inThisForm } from '#test/support/test-form.ts';
import { type InterruptedRun, startRun } from '../rollups/interrupted-run.ts';
import { endRepricing, goOnWithReprice } from './play-reprice.ts';
import { goOnWithStream, land, raise, settleStreams, timeOutInvocation, write } from './play-requests.ts';
import { isRunning, newPlay, type Play } from './play-state.ts';
import { passTime } from './play-time.ts';
import { createRandom } from './random.ts';
import { healthyWorld } from './rebuild-setup.ts';
import type { WorldTables } from './rebuild-world.ts';

const nowMs = Date.UTC(2026, 2, 14, 0, 20);
const settleMs = 5 * 60_000;

let database: EmbeddedDynamoDB;
let tables: WorldTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

const schedulesAtOnce = inThisForm({ short: 4, long: 30 });
const rounds = inThisForm({ short: 1, long: 10 });

it('finds nothing in what is right, whatever is written, counted and priced again meanwhile', async () => {
  const seeds = fc.array(fc.integer(), { minLength: schedulesAtOnce, maxLength: schedulesAtOnce });
  await fc.assert(
    fc.asyncProperty(seeds, async (together) => {
      await Promise.all(together.map(verifyAmidst));
    }),
    // A reprice between the reading of a day and that of its hours.
    { numRuns: rounds + 1, endOnFailure: true, examples: [[[-1491169285]]] },
  );
});

async function verifyAmidst(seed: number) {
  const random = createRandom(seed);
  const play = newPlay({ world: await healthyWorld(tables, random, nowMs), kept: {} }, random);
  const verifying = await beginVerifying(play);
  const happenings = [
    write,
    write,
    land,
    land,
    goOnWithStream,
    goOnWithStream,
    timeOutInvocation,
    goOnWithReprice,
    raise,
  ];
  while (isRunning(verifying)) {
    if (random.below(2) === 0) await random.pick(happenings)(play);
    if (random.below(4) === 0) await passTime(play);
    await keepUp(play);
    verifying.passTime();
    await verifying.run.step(random.below(40), 'answered');
  }
  if (play.reprice !== null) await endRepricing(play, play.reprice);

  const { outcome } = verifying.run;
  const differences = outcome.kind === 'returned' ? outcome.result.differences : outcome;
  expect(differences, `what was found with seed ${seed}`).toEqual([]);
}

interface Verifying {
  run: InterruptedRun<Verification>;
  /** Ends a wait whose time has come; while nothing else goes on, time passes by itself. */
  passTime(): void;
}

async function beginVerifying({ world }: Play): Promise<Verifying> {
  let waiting: { untilMs: number; go: () => void } | null = null;
  const job = {
    signal: new AbortController().signal,
    report() {},
    wait: (ms: number) =>
      new Promise<void>((go) => {
        waiting = { untilMs: world.nowMs + ms, go };
      }),
  };
  const { organizationId } = world;
  const request = { organizationId, fromMs: 0, settleMs, onDay() {} };
  const run = await startRun(world.client, (client) =>
    verifyOrganization(world.partsWith(client, job), request),
  );
  return {
    run,
    passTime() {
      if (waiting === null || world.nowMs < waiting.untilMs) return;
      waiting.go();
      waiting = null;
    },
  };
}

/** What was written four minutes ago has been counted. */
async function keepUp({ world }: Play): Promise<void> {
  const isLate = world.streams.some(({ records, position }) =>
    records.slice(position).some(({ writtenAtMs }) => writtenAtMs + settleMs - 60_000 < world.nowMs),
  );
  if (isLate) await settleStreams(world);
}
