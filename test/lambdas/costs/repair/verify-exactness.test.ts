import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Verification, verifyOrganization } from '#lambdas/costs/repair/verify.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { type InterruptibleRun, startRun } from '../rollups/support/interruptible-run.ts';
import { createConsistentFixture } from './support/initial-state.ts';
import { createRandom } from './support/random.ts';
import type { RepairTables } from './support/repair-fixture.ts';
import { continueReprice, finishReprice } from './support/simulate-reprice.ts';
import {
  addLogShard,
  completeWrite,
  continueStream,
  drainShards,
  startWrite,
  timeOutInvocation,
} from './support/simulate-requests.ts';
import { advanceRandomly } from './support/simulate-time.ts';
import { createSimulation, isRunning, type Simulation } from './support/simulation.ts';

const nowMs = Date.UTC(2026, 2, 14, 0, 20);
const settleMs = 5 * 60_000;

let database: EmbeddedDynamoDB;
let tables: RepairTables;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tables = { ...(await createTables(database)), client: database.documentClient };
});
afterAll(() => database.stop());

const concurrentScenarios = byTestForm({ short: 1, long: 30 });
const numRuns = byTestForm({ short: 1, long: 10 });

it('finds no differences in correct rollups during random writes, deliveries and reprices', async () => {
  const seeds = fc.array(fc.integer(), { minLength: concurrentScenarios, maxLength: concurrentScenarios });
  await fc.assert(
    fc.asyncProperty(seeds, async (batch) => {
      await Promise.all(batch.map(verifyDuringEvents));
    }),
    // The examples have a reprice between the reads of a day and of its hours, and equal writes between those of a month and its days.
    { numRuns: numRuns + 2, endOnFailure: true, examples: [[[-1491169285]], [[-1146875307]]] },
  );
});

async function verifyDuringEvents(seed: number) {
  const random = createRandom(seed);
  const simulation = createSimulation(
    { fixture: await createConsistentFixture(tables, random, nowMs), originalRows: {} },
    random,
  );
  const verification = await startVerification(simulation);
  const events = [
    startWrite,
    startWrite,
    completeWrite,
    completeWrite,
    continueStream,
    continueStream,
    timeOutInvocation,
    continueReprice,
    addLogShard,
  ];
  while (isRunning(verification)) {
    if (random.below(2) === 0) await random.pick(events)(simulation);
    if (random.below(4) === 0) await advanceRandomly(simulation);
    await drainLateRecords(simulation);
    verification.passTime();
    await verification.run.step(random.below(40), 'succeeded');
  }
  if (simulation.reprice !== null) await finishReprice(simulation, simulation.reprice);

  const { status } = verification.run;
  const differences = status.kind === 'returned' ? status.result.differences : status;
  expect(differences, `the differences with seed ${seed}`).toEqual([]);
}

interface SimulatedVerification {
  run: InterruptibleRun<Verification>;
  passTime(): void;
}

async function startVerification({ fixture }: Simulation): Promise<SimulatedVerification> {
  let pendingWait: { untilMs: number; resume: () => void } | null = null;
  const job = {
    signal: new AbortController().signal,
    report() {},
    wait: (ms: number) =>
      new Promise<void>((resume) => {
        pendingWait = { untilMs: fixture.nowMs + ms, resume };
      }),
  };
  const { organizationId } = fixture;
  const request = { organizationId, fromMs: 0, settleMs, onDay() {} };
  const run = await startRun(fixture.client, (client) =>
    verifyOrganization(fixture.createDependencies(client, job), request),
  );
  return {
    run,
    passTime() {
      if (pendingWait === null || fixture.nowMs < pendingWait.untilMs) return;
      pendingWait.resume();
      pendingWait = null;
    },
  };
}

/** Processes the stream when a record is four minutes old, so that entries are counted within `settleMs`. */
async function drainLateRecords({ fixture }: Simulation): Promise<void> {
  const isLate = fixture.shards.some(({ records, checkpoint }) =>
    records.slice(checkpoint).some(({ writtenAtMs }) => writtenAtMs + settleMs - 60_000 < fixture.nowMs),
  );
  if (isLate) await drainShards(fixture);
}
